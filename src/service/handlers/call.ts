import type { OperationName, OperationResult, Operations } from '../../contract/operations.ts';
import type { ServiceSettings } from '../resolved-settings.ts';
import type { Note, Store, StoredDomain, Usage } from '../store/store.ts';

/** One accepted API call: authenticated, counted, and routed. */
export interface Call<O extends OperationName> {
  /** The path of the API, as the client has it. */
  readonly root: string;
  readonly path: Operations[O]['path'];
  readonly query: URLSearchParams;
  /** The payload as it came: nothing about it has been checked. */
  readonly payload: unknown;
  /** The domain that the call acts on (4.1.7): 1313 when the query names an unknown one. */
  readonly workingDomain: () => Promise<StoredDomain>;
  readonly settings: ServiceSettings;
  readonly store: Store;
  /** Of the account, this call included. */
  readonly usage: () => Promise<Usage>;
  /** What the account log says of a change (edition A, 2.7), for the store to keep with it. */
  readonly note: <Result>(describe: (result: Result) => Noted | undefined) => Note<Result>;
}

/** An entry of the account log. */
export interface Noted {
  readonly message: string;
  /** The short URL that it is about. */
  readonly objectUrl?: string | null;
}

export type Handler<O extends OperationName> = (call: Call<O>) => Promise<OperationResult<O>>;
