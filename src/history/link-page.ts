/** Links on a page of memory, as a number of bits. */
export const pageBits = 14;
export const pageSize = 2 ** pageBits;

/** 32 bytes for each link, page by page: nothing is copied when they become more. */
export interface LinkPage {
  readonly total: Float64Array;
  readonly unique: Float64Array;
  readonly nameLow: Uint32Array;
  readonly nameHigh: Uint32Array;
  /** Of what else is shown of a link. */
  readonly text: Uint32Array;
  /** Which domain. */
  readonly domain: Uint16Array;
  /** 1: it is there. */
  readonly there: Uint8Array;
  /** 1: this reading has read it. */
  readonly seen: Uint8Array;
}

export function newPage(): LinkPage {
  return {
    total: new Float64Array(pageSize),
    unique: new Float64Array(pageSize),
    nameLow: new Uint32Array(pageSize),
    nameHigh: new Uint32Array(pageSize),
    text: new Uint32Array(pageSize),
    domain: new Uint16Array(pageSize),
    there: new Uint8Array(pageSize),
    seen: new Uint8Array(pageSize),
  };
}

/** The first links of a page as bytes, all but what a single reading has seen; to be read, or to be filled. */
export function columnBytes({ total, unique, nameLow, nameHigh, text, domain, there }: LinkPage, count: number): Buffer[] {
  return [total, unique, nameLow, nameHigh, text, domain, there].map((column) =>
    Buffer.from(column.buffer, 0, Math.min(count, pageSize) * column.BYTES_PER_ELEMENT),
  );
}
