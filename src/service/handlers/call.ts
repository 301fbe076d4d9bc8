import type { OperationName, OperationResult, Operations } from '../../contract/operations.ts';
import type { ServiceSettings } from '../settings.ts';
import type { Store, StoredDomain } from '../store/store.ts';

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
  /** Notes a write in the account log (edition A, 2.7). */
  readonly log: (message: string, objectUrl?: string) => Promise<void>;
}

export type Handler<O extends OperationName> = (call: Call<O>) => Promise<OperationResult<O>>;
