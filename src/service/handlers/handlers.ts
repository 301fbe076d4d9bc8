import type { OperationName } from '../../contract/operations.ts';
import { getAccount, listDomains, listLog } from './account.ts';
import type { Handler } from './call.ts';
import { editSelectedUrls, editUrl, editUrls } from './editing.ts';
import { deleteUrl, deleteUrls, resetSelectedStats, resetStats } from './groups.ts';
import { getStats, getUrl, listUrls } from './reading.ts';
import { shortenUrls } from './shortening.ts';
import { addTag, deleteTag, listTags, renameTag } from './tags.ts';

/** The type requires a handler for every operation of the contract. */
export const handlers: { readonly [O in OperationName]: Handler<O> } = {
  getAccount,
  shortenUrls,
  listUrls,
  getUrl,
  editUrl,
  editSelectedUrls,
  editUrls,
  deleteUrl,
  deleteUrls,
  getStats,
  resetStats,
  resetSelectedStats,
  listTags,
  addTag,
  renameTag,
  deleteTag,
  listDomains,
  listLog,
};
