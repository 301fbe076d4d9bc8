import { LocalError, messageOf } from '../base/errors.ts';

const reasons: { readonly [code: string]: string } = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'a file with this name already exists',
  EFBIG: 'the file would exceed the size limit',
  EIO: 'the disk reported an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file or folder',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
};

/** Leads to exit 9: `cannot read /x/config.json: permission denied`. `hint` says what to do. */
export function fileError(action: string, path: string, error: unknown, hint?: string): LocalError {
  if (error instanceof LocalError) return error;
  const code = errorCode(error) ?? '';
  // Node and SQLite have codes that say less than their messages.
  const isOfSystem = /^E[A-Z0-9]+$/.test(code);
  const reason = reasons[code] ?? (isOfSystem ? code : messageOf(error));
  return new LocalError(`cannot ${action} ${path}: ${reason}`, { cause: error, hint });
}

/** Returns what `work` returns. What it throws becomes a `fileError`. */
export function fileWork<Result>(action: string, path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw fileError(action, path, error);
  }
}

/** Makes the handler that rejects a promise with a `fileError`. */
export function cannot(action: string, path: string): (error: unknown) => never {
  return (error) => {
    throw fileError(action, path, error);
  };
}

/** Returns the code of the operating system, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
