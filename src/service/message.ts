/** A request, whatever kind of listener received it. */
export interface ServiceRequest {
  readonly method: string;
  /** Undecoded path and query. */
  readonly target: string;
  /** The name and port that were asked for; empty where none was. */
  readonly host: string;
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** Address of the peer. */
  readonly address: string;
  /** Reads the body when it is wanted; throws `Refusal(1310)` above the bound. */
  body(): Promise<Buffer>;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

export function header(request: ServiceRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
