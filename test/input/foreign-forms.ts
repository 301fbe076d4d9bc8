/** A file as another service writes it, with the line about its columns and the links that it makes without a flag, by hash. */
export interface ForeignForm {
  readonly name: string;
  readonly text: string;
  readonly columns: string;
  readonly links: readonly ForeignLink[];
  /** How the file is called; `export.csv` without it. */
  readonly file?: string;
  /** Rows that are left out, as their links are protected or off. */
  readonly skipped?: number;
  /** On edition B, which has no bound of clicks. */
  readonly onB?: { readonly columns: string };
}

export interface ForeignLink {
  readonly hash?: string;
  readonly long_url: string;
  readonly note?: string;
  readonly tags?: readonly string[];
  readonly expiration_date?: string;
  /** On edition A. */
  readonly max_clicks?: number;
}

const one = 'https://www.example.com/spring?a=1,2;b=3#top';
const two = 'https://www.example.com/two';

export const foreignForms: readonly ForeignForm[] = [
  {
    name: "the vendor's own import",
    text: `url;short_id;note\n"${one}";Spring;"a ""quoted"" note"\n${two};two;\n`,
    columns: 'columns: url -> long_url, short_id -> custom_hash, note -> note',
    links: [
      { hash: 'Spring', long_url: one, note: 'a "quoted" note' },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: "the vendor's own export",
    text:
      'Long Url,Short Url,Note,Tags,Total Clicks,Unique Clicks,Created,Last visit,Password\n' +
      `"${one}",https://s.example/Spring,n,"a,b",7,3,2025-01-31 09:00:00,2025-02-01 10:00:00,\n${two},s.example/two,,,0,0,2025-01-31 09:00:00,,\n`,
    columns:
      'columns: Long Url -> long_url, Short Url -> custom_hash, Note -> note, Tags -> tags; protection: Password; ' +
      'not used: Total Clicks, Unique Clicks, Created, Last visit',
    links: [
      { hash: 'Spring', long_url: one, note: 'n', tags: ['a', 'b'] },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: 'paths and targets',
    text: `source,target,hits\n/Spring/,"${one}",12\n/two/,${two},0\n`,
    columns: 'columns: source -> custom_hash, target -> long_url; not used: hits',
    links: [
      { hash: 'Spring', long_url: one },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: 'short URLs without scheme beside slashtags',
    text:
      'id,createdAt,shortUrl,domain,slashtag,destination\n' +
      `1f0c,2025-01-31T09:00:00Z,go.example/Spring,go.example,Spring,"${one}"\n2e1d,2025-01-31T09:00:00Z,go.example/two,go.example,two,${two}\n`,
    columns:
      'columns: shortUrl -> custom_hash where slashtag is empty, slashtag -> custom_hash, destination -> long_url; ' +
      'not used: id, createdAt, domain',
    links: [
      { hash: 'Spring', long_url: one },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: 'tags with pipes',
    text:
      'createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n' +
      `2025-01-31T09:00:00+01:00,s.test,Spring,https://s.test/Spring,"${one}",Sale,news|mail,7\n2025-01-31T09:00:00+01:00,s.test,two,https://s.test/two,${two},,,0\n`,
    columns:
      'columns: shortCode -> custom_hash, shortUrl -> custom_hash where shortCode is empty, longUrl -> long_url, title -> note, ' +
      'tags -> tags; not used: createdAt, domain, visits',
    links: [
      { hash: 'Spring', long_url: one, note: 'Sale', tags: ['mail', 'news'] },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: 'short links with clicks',
    text: `Short link,Destination URL,Clicks,Created at\nhttps://go.example/Spring,"${one}",7,2025-01-31\nhttps://go.example/two,${two},0,2025-01-31\n`,
    columns: 'columns: Short link -> custom_hash, Destination URL -> long_url; not used: Clicks, Created at',
    links: [
      { hash: 'Spring', long_url: one },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: 'short links with clicks and tags',
    text: `Short link,Destination URL,Clicks,Created at,Tags\nhttps://go.example/Spring,"${one}",7,2025-01-31,"news, mail"\nhttps://go.example/two,${two},0,2025-01-31,\n`,
    columns: 'columns: Short link -> custom_hash, Destination URL -> long_url, Tags -> tags; not used: Clicks, Created at',
    links: [
      { hash: 'Spring', long_url: one, tags: ['mail', 'news'] },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: 'links, and custom links for some',
    text: `Link, Custom Link, Destination URL\nsho.rt/3aBc,brand.example/Spring,"${one}"\nsho.rt/3abC,,${two}\n`,
    columns: 'columns: Link -> custom_hash where Custom Link is empty, Custom Link -> custom_hash, Destination URL -> long_url',
    links: [
      { hash: '3abC', long_url: two },
      { hash: 'Spring', long_url: one },
    ],
  },
  {
    name: 'bitlinks',
    text: `Bitlink,Long URL,Title,Tags,Created,Total Clicks\nhttps://sho.rt/3aBc,"${one}",Sale,"news,mail",2025-01-31,7\nsho.rt/3abC,${two},,,2025-01-31,0\n`,
    columns:
      'columns: Bitlink -> custom_hash, Long URL -> long_url, Title -> note, Tags -> tags; not used: Created, Total Clicks',
    links: [
      { hash: '3aBc', long_url: one, note: 'Sale', tags: ['mail', 'news'] },
      { hash: '3abC', long_url: two },
    ],
  },
  {
    name: 'bitlinks, and custom bitlinks for some',
    text:
      'Bitlink,Custom Bitlinks,Long URL,Title,Total engagements\n' +
      `sho.rt/3aBc,brand.example/Spring,"${one}",Sale,7\nsho.rt/3abC,,${two},,0\n`,
    columns:
      'columns: Bitlink -> custom_hash where Custom Bitlinks is empty, Custom Bitlinks -> custom_hash, Long URL -> long_url, ' +
      'Title -> note; not used: Total engagements',
    links: [
      { hash: '3abC', long_url: two },
      { hash: 'Spring', long_url: one, note: 'Sale' },
    ],
  },
  {
    name: 'favourites',
    text:
      'id,title,slashtag,destination,createdAt,status,clicks,isPublic,shortUrl,domainName,favourite\n' +
      `1f0c,Sale,Spring,"${one}",2025-01-31T09:00:00Z,active,7,false,go.example/Spring,go.example,true\n`,
    columns:
      'columns: title -> note, slashtag -> custom_hash, destination -> long_url, shortUrl -> custom_hash where slashtag is empty; ' +
      'protection: status; not used: id, createdAt, clicks, isPublic, domainName, favourite',
    links: [{ hash: 'Spring', long_url: one, note: 'Sale' }],
  },
  {
    name: 'passwords, which a link cannot have',
    text:
      'address,target,description,password,visit_count,banned,expire_in\n' +
      `Spring,"${one}",Sale,false,7,false,2031-01-31T09:30:00.000Z\nsecret,${two},,true,0,false,\nbad,${two},,false,0,true,\n`,
    columns:
      'columns: address -> custom_hash, target -> long_url, description -> note, expire_in -> expiration_date; ' +
      'protection: password, banned; not carried over: time of day of expire_in (1 row); not used: visit_count',
    links: [{ hash: 'Spring', long_url: one, note: 'Sale', expiration_date: '2031-01-31' }],
    skipped: 2,
  },
  {
    name: 'the table of a service whose secret links need a second ending',
    text:
      'id,short_url,long_url,ip,creator,clicks,secret_key,is_disabled,is_custom,is_api,created_at\n' +
      `1,Spring,"${one}",127.0.0.1,admin,7,,0,1,0,2025-01-31 09:00:00\n2,hidden,${two},127.0.0.1,admin,0,3f9a,0,1,0,2025-01-31 09:00:00\n` +
      `3,off,${two},127.0.0.1,admin,0,NULL,1,1,0,2025-01-31 09:00:00\n`,
    columns:
      'columns: short_url -> custom_hash, long_url -> long_url; protection: secret_key, is_disabled; ' +
      'not used: id, ip, creator, clicks, created_at; unknown: is_custom, is_api',
    links: [{ hash: 'Spring', long_url: one }],
    skipped: 2,
  },
  {
    name: 'short URLs by the name of their service',
    text: `TinyURL,Long URL,Created at\nhttps://tiny.example/Spring,"${one}",2025-01-31\n`,
    columns: 'columns: TinyURL -> custom_hash, Long URL -> long_url; not used: Created at',
    links: [{ hash: 'Spring', long_url: one }],
  },
  {
    name: 'short links, with a back-half of its own for some',
    text:
      'Short Link,Custom Back-Half,Long URL,Title,Tags,Created\n' +
      `https://sho.rt/3aBc,Spring,"${one}",Sale,"news,mail",2025-01-31\nhttps://sho.rt/3abC,,${two},,,2025-01-31\n`,
    columns:
      'columns: Short Link -> custom_hash where Custom Back-Half is empty, Custom Back-Half -> custom_hash, Long URL -> long_url, ' +
      'Title -> note, Tags -> tags; not used: Created',
    links: [
      { hash: '3abC', long_url: two },
      { hash: 'Spring', long_url: one, note: 'Sale', tags: ['mail', 'news'] },
    ],
  },
  {
    name: 'links with limits, protection and rules for devices',
    text:
      'Original URL,Short URL,Path,Title,Tags,Clicks,Created At,Expires At,Clicks Limit,Password,iPhone URL,Android URL,Archived\n' +
      `"${one}",https://go.example/Spring,Spring,Sale,news;mail,7,2025-01-31,2031-01-31,100,,https://apps.example/1,,false\n` +
      `${two},https://go.example/two,two,,,0,2025-01-31,,,,,,false\n` +
      `${two},https://go.example/old,old,,,0,2025-01-31,,,,https://apps.example/2,,true\n` +
      `${two},https://go.example/secret,secret,,,0,2025-01-31,,,hunter2,,,false\n`,
    columns:
      'columns: Original URL -> long_url, Short URL -> custom_hash where Path is empty, Path -> custom_hash, Title -> note, Tags -> tags, ' +
      'Expires At -> expiration_date, Clicks Limit -> max_clicks; protection: Password, Archived; not carried over: iPhone URL (1 row); ' +
      'not used: Clicks, Created At, Android URL',
    onB: {
      columns:
        'columns: Original URL -> long_url, Short URL -> custom_hash where Path is empty, Path -> custom_hash, Title -> note, Tags -> tags, ' +
        'Expires At -> expiration_date; protection: Password, Archived; not carried over: Clicks Limit (1 row), iPhone URL (1 row); ' +
        'not used: Clicks, Created At, Android URL',
    },
    links: [
      { hash: 'Spring', long_url: one, note: 'Sale', tags: ['mail', 'news'], expiration_date: '2031-01-31', max_clicks: 100 },
      { hash: 'two', long_url: two },
    ],
    skipped: 2,
  },
  {
    name: 'keywords and URLs',
    text: `keyword,url,title,timestamp,ip,clicks\nSpring,"${one}",Sale,2025-01-31 09:00:00,192.0.2.1,7\ntwo,${two},,2025-01-31 09:00:00,192.0.2.1,0\n`,
    columns: 'columns: keyword -> custom_hash, url -> long_url, title -> note; not used: timestamp, ip, clicks',
    links: [
      { hash: 'Spring', long_url: one, note: 'Sale' },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: 'no header: URL, keyword, title',
    text: `"${one}",Spring,"Sale, now"\n${two},two,\n`,
    columns: 'columns: 1 -> long_url, 2 -> custom_hash, 3 -> note (by position: there is no header)',
    links: [
      { hash: 'Spring', long_url: one, note: 'Sale, now' },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: 'an API: short URLs below a name, with limits in a group',
    file: 'export.json',
    text: JSON.stringify({
      shortUrls: {
        data: [
          {
            shortCode: 'Spring',
            shortUrl: 'https://s.test/Spring',
            longUrl: one,
            dateCreated: '2025-01-31T09:00:00+01:00',
            visitsSummary: { total: 7, nonBots: 6, bots: 1 },
            tags: ['news', 'mail'],
            meta: { validSince: null, validUntil: '2031-01-31T00:00:00+00:00', maxVisits: 100 },
            domain: null,
            title: 'Sale',
            crawlable: false,
            forwardQuery: true,
          },
          {
            shortCode: 'later',
            shortUrl: 'https://s.test/later',
            longUrl: two,
            tags: [],
            meta: { validSince: '2999-01-01T00:00:00+00:00', validUntil: null, maxVisits: null },
            title: null,
          },
        ],
        pagination: { currentPage: 1, pagesCount: 1, itemsPerPage: 10, totalItems: 2 },
      },
    }),
    columns:
      'columns: shortCode -> custom_hash, shortUrl -> custom_hash where shortCode is empty, longUrl -> long_url, tags -> tags, title -> note, ' +
      'meta.validUntil -> expiration_date, meta.maxVisits -> max_clicks; protection: meta.validSince; ' +
      'not used: dateCreated, visitsSummary, domain; unknown: crawlable, forwardQuery',
    onB: {
      columns:
        'columns: shortCode -> custom_hash, shortUrl -> custom_hash where shortCode is empty, longUrl -> long_url, tags -> tags, title -> note, ' +
        'meta.validUntil -> expiration_date; protection: meta.validSince; not carried over: meta.maxVisits (1 row); ' +
        'not used: dateCreated, visitsSummary, domain; unknown: crawlable, forwardQuery',
    },
    links: [
      { hash: 'Spring', long_url: one, note: 'Sale', tags: ['mail', 'news'], expiration_date: '2031-01-31', max_clicks: 100 },
    ],
    skipped: 1,
  },
  {
    name: 'an API: an array, whose tags are objects',
    file: 'export.json',
    text: JSON.stringify(
      [
        {
          id: 'clx1',
          domain: 'go.example',
          key: 'Spring',
          url: one,
          trackConversion: false,
          externalId: null,
          archived: false,
          expiresAt: '2031-01-31T09:30:00.000Z',
          expiredUrl: 'https://www.example.com/over',
          password: null,
          proxy: false,
          title: 'Sale',
          description: 'all of it',
          image: null,
          ios: null,
          android: 'https://apps.example/1',
          geo: { DE: 'https://www.example.com/de' },
          tags: [
            { id: 't1', name: 'news', color: 'red' },
            { id: 't2', name: 'mail', color: 'blue' },
          ],
          comments: '',
          shortLink: 'https://go.example/Spring',
          qrCode: 'https://api.example/qr',
          utm_source: null,
          userId: 'u1',
          workspaceId: 'w1',
          clicks: 7,
          lastClicked: null,
          createdAt: '2025-01-31T09:00:00.000Z',
        },
        { id: 'clx2', domain: 'go.example', key: 'secret', url: two, archived: false, password: 'hunter2', tags: [] },
      ],
      undefined,
      2,
    ),
    columns:
      'columns: key -> custom_hash, url -> long_url, expiresAt -> expiration_date, title -> note, tags -> tags, ' +
      'shortLink -> custom_hash where key is empty, utm_source -> utm_source; protection: archived, password; ' +
      'not carried over: time of day of expiresAt (1 row), expiredUrl (1 row), android (1 row), geo (1 row); ' +
      'not used: id, domain, description, image, comments, qrCode, userId, clicks, lastClicked, createdAt, proxy, ios; ' +
      'unknown: trackConversion, externalId, workspaceId',
    links: [{ hash: 'Spring', long_url: one, note: 'Sale', tags: ['mail', 'news'], expiration_date: '2031-01-31' }],
    skipped: 1,
  },
  {
    name: 'an API: an object of numbered links',
    file: 'export.json',
    text: JSON.stringify({
      statusCode: 200,
      message: 'success',
      links: {
        link_1: {
          shorturl: 'https://s.test/Spring',
          url: one,
          title: 'Sale',
          timestamp: '2025-01-31 09:00:00',
          ip: '192.0.2.1',
          clicks: '7',
        },
        link_2: {
          shorturl: 'https://s.test/two',
          url: two,
          title: '',
          timestamp: '2025-01-31 09:00:00',
          ip: '192.0.2.1',
          clicks: '0',
        },
      },
      stats: { total_links: '2', total_clicks: '7' },
    }),
    columns: 'columns: shorturl -> custom_hash, url -> long_url, title -> note; not used: timestamp, ip, clicks',
    links: [
      { hash: 'Spring', long_url: one, note: 'Sale' },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: 'an API: links with a count and a token',
    file: 'export.json',
    text: JSON.stringify({
      count: 2,
      links: [
        {
          originalURL: one,
          DomainId: 1,
          archived: false,
          path: 'Spring',
          cloaking: false,
          createdAt: '2025-01-31T09:00:00.000Z',
          expiresAt: 1927616400000,
          clicksLimit: null,
          title: 'Sale',
          tags: ['news', 'mail'],
          iphoneURL: null,
          source: 'website',
          OwnerId: 1,
          idString: 'lnk_1',
          shortURL: 'https://go.example/Spring',
          secureShortURL: 'https://go.example/Spring',
          hasPassword: false,
          User: { id: 1, name: 'Ann', email: 'ann@example.com' },
        },
        { originalURL: two, archived: false, path: 'secret', hasPassword: true, shortURL: 'https://go.example/secret' },
      ],
      nextPageToken: null,
    }),
    columns:
      'columns: originalURL -> long_url, path -> custom_hash, expiresAt -> expiration_date, clicksLimit -> max_clicks, title -> note, tags -> tags, ' +
      'shortURL -> custom_hash where path is empty; protection: archived, hasPassword; not carried over: time of day of expiresAt (1 row); ' +
      'not used: DomainId, createdAt, source, User, cloaking, iphoneURL; unknown: OwnerId, idString, secureShortURL',
    onB: {
      columns:
        'columns: originalURL -> long_url, path -> custom_hash, expiresAt -> expiration_date, title -> note, tags -> tags, ' +
        'shortURL -> custom_hash where path is empty; protection: archived, hasPassword; not carried over: time of day of expiresAt (1 row); ' +
        'not used: DomainId, createdAt, source, User, cloaking, clicksLimit, iphoneURL; unknown: OwnerId, idString, secureShortURL',
    },
    links: [{ hash: 'Spring', long_url: one, note: 'Sale', tags: ['mail', 'news'], expiration_date: '2031-01-31' }],
    skipped: 1,
  },
  {
    name: 'an API: a page of data',
    file: 'export.json',
    text: JSON.stringify({
      limit: 10,
      skip: 0,
      total: 2,
      data: [
        {
          id: 'a1',
          address: 'Spring',
          banned: false,
          created_at: '2025-01-31T09:00:00.000Z',
          updated_at: '2025-01-31T09:00:00.000Z',
          link: 'https://s.test/Spring',
          password: false,
          target: one,
          description: 'Sale',
          visit_count: 7,
          domain: null,
        },
        { id: 'a2', address: 'two', banned: false, link: 'https://s.test/two', password: false, target: two, description: null },
      ],
    }),
    columns:
      'columns: address -> custom_hash, link -> custom_hash where address is empty, target -> long_url, description -> note; ' +
      'protection: banned, password; not used: id, created_at, updated_at, visit_count, domain',
    links: [
      { hash: 'Spring', long_url: one, note: 'Sale' },
      { hash: 'two', long_url: two },
    ],
  },
  {
    name: 'an API: bitlinks, whose custom ones are a list',
    file: 'export.json',
    text: JSON.stringify({
      links: [
        {
          created_at: '2025-01-31T09:00:00+0000',
          id: 'sho.rt/3aBc',
          link: 'https://sho.rt/3aBc',
          custom_bitlinks: ['https://brand.example/Spring'],
          long_url: one,
          title: 'Sale',
          archived: false,
          created_by: 'ann',
          tags: ['news'],
          deeplinks: [],
          references: { group: 'https://api.example/g' },
        },
        { id: 'sho.rt/3abC', link: 'https://sho.rt/3abC', custom_bitlinks: [], long_url: two, archived: false, tags: [] },
      ],
      pagination: { next: '', size: 50 },
    }),
    columns:
      'columns: link -> custom_hash where custom_bitlinks is empty, custom_bitlinks -> custom_hash, long_url -> long_url, title -> note, tags -> tags; ' +
      'protection: archived; not used: created_at, id, created_by, deeplinks; unknown: references',
    links: [
      { hash: '3abC', long_url: two },
      { hash: 'Spring', long_url: one, note: 'Sale', tags: ['news'] },
    ],
  },
  {
    name: 'an API: an array of slashtags',
    file: 'export.json',
    text: JSON.stringify([
      {
        id: '1f0c',
        title: 'Sale',
        slashtag: 'docs/Spring',
        destination: one,
        createdAt: '2025-01-31T09:00:00.000Z',
        updatedAt: '2025-01-31T09:00:00.000Z',
        status: 'active',
        clicks: 7,
        shortUrl: 'go.example/docs/Spring',
        domain: { id: 'd1', ref: '/domains/d1', fullName: 'go.example', active: true },
        https: true,
        favourite: false,
        creator: { id: 'u1', fullName: 'Ann' },
        integrated: false,
      },
    ]),
    columns:
      'columns: title -> note, slashtag -> custom_hash, destination -> long_url, shortUrl -> custom_hash where slashtag is empty; ' +
      'protection: status; not used: id, createdAt, updatedAt, clicks, domain, https, favourite, creator, integrated',
    links: [{ hash: 'Spring', long_url: one, note: 'Sale' }],
  },
  {
    name: 'an API: limits by date and by views',
    file: 'export.json',
    text: JSON.stringify({
      data: [
        {
          short_url: 'https://s.test/Spring',
          description: 'Sale',
          long_url: one,
          domain: 'https://s.test/',
          short_id: 'Spring',
          expire_at_views: 100,
          expire_at_datetime: '2031-01-31 00:00:00',
          public_stats: true,
          created_at: '2025-01-31T09:00:00.000000Z',
          qr_code_url: null,
          meta: { smart_urls: [] },
        },
      ],
      current_page: 1,
      per_page: 50,
      links: [],
    }),
    columns:
      'columns: short_url -> custom_hash where short_id is empty, description -> note, long_url -> long_url, short_id -> custom_hash, ' +
      'expire_at_views -> max_clicks, expire_at_datetime -> expiration_date; not used: domain, created_at; ' +
      'unknown: public_stats, qr_code_url, meta.smart_urls',
    onB: {
      columns:
        'columns: short_url -> custom_hash where short_id is empty, description -> note, long_url -> long_url, short_id -> custom_hash, ' +
        'expire_at_datetime -> expiration_date; not carried over: expire_at_views (1 row); not used: domain, created_at; ' +
        'unknown: public_stats, qr_code_url, meta.smart_urls',
    },
    links: [{ hash: 'Spring', long_url: one, note: 'Sale', expiration_date: '2031-01-31', max_clicks: 100 }],
  },
  {
    name: 'an API, a link on each line',
    file: 'export.jsonl',
    text:
      `${JSON.stringify({ alias: 'Spring', url: one, tiny_url: 'https://tiny.example/Spring', tags: ['news'], deleted: false })}\n` +
      `${JSON.stringify({ alias: 'two', url: two, tiny_url: 'https://tiny.example/two', tags: [], deleted: true })}\n`,
    columns:
      'columns: alias -> custom_hash, url -> long_url, tiny_url -> custom_hash where alias is empty, tags -> tags; protection: deleted',
    links: [{ hash: 'Spring', long_url: one, tags: ['news'] }],
    skipped: 1,
  },
];

/** A spreadsheet as people have it: a title and a header over several columns, semicolons, a mark, blanks, empty rows. */
export const spreadsheet =
  '\ufeffSpring campaign;;;;;\r\nLong URL;Custom back-half; Tags ;;Expires on;Clicks\r\n' +
  ` ${two} ;Spring; news ;mail;31.12.2031;7\r\n;;;;;\r\nhttps://www.example.com/3; two;;; ;\r\n;;;;;\r\n`;

export const spreadsheetLinks: readonly ForeignLink[] = [
  { hash: 'Spring', long_url: two, tags: ['mail', 'news'], expiration_date: '2031-12-31' },
  { hash: 'two', long_url: 'https://www.example.com/3' },
];
