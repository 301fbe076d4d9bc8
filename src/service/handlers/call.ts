import type { OperationName, OperationResult, Operations } from '../../contract/operations.ts';
import type { ServiceSettings } from '../service-options.ts';
import type { Note, Store, StoredDomain, Usage } from '../store/store.ts';

/** An authenticated, counted and routed API call. */
export interface Call<O extends OperationName> {
  /** The API root as the client sent it. */
  readonly root: string;
  readonly path: Operations[O]['path'];
  readonly query: URLSearchParams;
  /** The unvalidated payload. */
  readonly payload: unknown;
  /** The domain that the call acts on (4.1.7). Throws 1313 for an unknown one. */
  readonly workingDomain: () => Promise<StoredDomain>;
  readonly settings: ServiceSettings;
  readonly store: Store;
  /** Includes this call. */
  readonly usage: () => Promise<Usage>;
  /** Describes a change for the account log (edition A, 2.7). The store saves the entry together with the change. */
  readonly note: <Result>(describe: Note<Result>) => Note<Result> | undefined;
}

export type Handler<O extends OperationName> = (call: Call<O>) => Promise<OperationResult<O>>;
