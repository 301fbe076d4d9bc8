import { utcTime } from '../../base/times.ts';
import type { AccountRecord, Counter, DomainRecord } from '../../contract/records.ts';
import { apiVersion } from '../api/api-responses.ts';
import { shownDomain } from '../api/url-records.ts';
import { unlimited } from '../service-options.ts';
import type { Handler } from './call.ts';
import { pageRecord, readPage } from './reading.ts';

export const getAccount: Handler<'getAccount'> = async ({ root, store, settings, usage: readUsage }) => {
  const { account, limits, credentials, edition } = settings;
  const usage = await readUsage();
  const counters: { [name: string]: Counter } = {
    urls: { count: usage.urls, limit: limits.maxUrls },
    today_api_calls: { count: usage.callsToday, limit: limits.maxCallsPerDay },
    month_urls: { count: usage.urlsThisMonth, limit: limits.maxMonthUrls },
    // A limit without a count. Not in API.md, but in public deployments.
    daily_redirects: { limit: unlimited },
  };
  const record: AccountRecord = {
    user_id: usage.userId,
    username: credentials.username,
    account_expiration_date: account.expirationDate,
    subscription_plan: 'local',
    counters,
    // Edition B has no log.
    links: { urls: `${root}/urls`, stats: `${root}/stats`, ...(edition === 'a' && { log: `${root}/log` }) },
  };
  if (edition === 'b') {
    const [domain] = await store.listDomains();
    record.custom_domain = domain ? shownDomain(domain, settings) : '';
  }
  return { account: record };
};

/** Names are in ASCII form, as RFC 3490 requires between programs. */
export const listDomains: Handler<'listDomains'> = async ({ store, settings }) => {
  const domains = (await store.listDomains()).map(
    (domain): DomainRecord => ({
      domain: shownDomain(domain, settings),
      hash_character_set: 'restricted',
      hash_generation: 'random',
      status: domain.isDefault ? 'default' : 'active',
      custom_root_page: '',
      custom_404_page: settings.notFoundUrl ?? '',
      redirect_code: settings.redirectCode,
      use_https: settings.useHttps ?? domain.useHttps,
    }),
  );
  return { version: apiVersion, domains };
};

/** Most recent first. API.md gives no bounds for `limit`: they are those of GET /urls. */
export const listLog: Handler<'listLog'> = async (call) => {
  const { offset, limit } = readPage(call);
  const { entries, total } = await call.store.listLog(offset, limit);
  const log = entries.map((entry) => ({
    message: entry.message,
    time: utcTime(entry.time),
    type: 'notification',
    satellite_username: null,
    links: { object_url: entry.objectUrl, help_url: null },
  }));
  // This service has no feeds. Unset locations are empty (2.6).
  return { version: apiVersion, page: pageRecord(log, total, offset), links: { rss_url: '', atom_url: '' }, log };
};
