import type { Handler } from './call.ts';

/** An unknown hash has no stats and is no error. Not shown in API.md; as public deployments do (FIELD-NOTES 10). */
export const getStats: Handler<'getStats'> = async (call) => {
  const urls = await call.store.findUrls(await call.workingDomain(), [call.path.hash]);
  return {
    stats: urls.map((url) => ({ hash: url.hash, total_clicks: url.totalClicks, unique_clicks: url.uniqueClicks })),
  };
};
