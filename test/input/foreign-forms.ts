/** A file as another service writes it, with the line about its columns and the links that it makes without a flag, by hash. */
export interface ForeignForm {
  readonly name: string;
  readonly text: string;
  readonly columns: string;
  readonly links: readonly ForeignLink[];
}

export interface ForeignLink {
  readonly hash?: string;
  readonly long_url: string;
  readonly note?: string;
  readonly tags?: readonly string[];
  readonly expiration_date?: string;
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
      'columns: Long Url -> long_url, Short Url -> custom_hash, Note -> note, Tags -> tags; ' +
      'not used: Total Clicks, Unique Clicks, Created, Last visit, Password',
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
    columns: 'columns: slashtag -> custom_hash, destination -> long_url; not used: id, createdAt, shortUrl, domain',
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
      'columns: shortCode -> custom_hash, longUrl -> long_url, title -> note, tags -> tags; not used: createdAt, domain, shortUrl, visits',
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
      'columns: title -> note, slashtag -> custom_hash, destination -> long_url; ' +
      'not used: id, createdAt, status, clicks, isPublic, shortUrl, domainName, favourite',
    links: [{ hash: 'Spring', long_url: one, note: 'Sale' }],
  },
  {
    name: 'passwords, which a link cannot have',
    text: `address,target,description,password,visit_count,banned\nSpring,"${one}",Sale,true,7,false\n`,
    columns: 'columns: address -> custom_hash, target -> long_url, description -> note; not used: password, visit_count, banned',
    links: [{ hash: 'Spring', long_url: one, note: 'Sale' }],
  },
  {
    name: 'short URLs by the name of their service',
    text: `TinyURL,Long URL,Created at\nhttps://tiny.example/Spring,"${one}",2025-01-31\n`,
    columns: 'columns: TinyURL -> custom_hash, Long URL -> long_url; not used: Created at',
    links: [{ hash: 'Spring', long_url: one }],
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
];

/** A spreadsheet as people have it: a title and a header over several columns, semicolons, a mark, blanks, empty rows. */
export const spreadsheet =
  '\ufeffSpring campaign;;;;;\r\nLong URL;Custom back-half; Tags ;;Expires on;Clicks\r\n' +
  ` ${two} ;Spring; news ;mail;31.12.2031;7\r\n;;;;;\r\nhttps://www.example.com/3; two;;; ;\r\n;;;;;\r\n`;

export const spreadsheetLinks: readonly ForeignLink[] = [
  { hash: 'Spring', long_url: two, tags: ['mail', 'news'], expiration_date: '2031-12-31' },
  { hash: 'two', long_url: 'https://www.example.com/3' },
];
