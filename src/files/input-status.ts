import { type BigIntStats, fstatSync } from 'node:fs';
import { orElse } from '../base/errors.ts';
import type { InputStream } from '../base/system.ts';

/** What stands on stdin. Undefined if it is unknown: a stream without a descriptor has none that is valid. */
export function inputStatus({ fd = -1 }: InputStream): BigIntStats | undefined {
  return orElse(() => fstatSync(fd, { bigint: true }), undefined);
}
