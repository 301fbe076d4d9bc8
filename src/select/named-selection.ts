import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { namedUrls } from '../client/named-urls.ts';
import type { LinkDomains, LinkKey } from '../contract/link.ts';
import { type NamedHashes, resolveOperands } from '../input/domain-resolver.ts';
import type { Source } from '../input/source.ts';
import type { LinkFilter } from '../link/rules/filter.ts';
import {
  isExact,
  type NamedLinks,
  type Narrowing,
  type Purpose,
  type SelectedLink,
  type SelectedPage,
} from './selected-links.ts';

interface Naming {
  readonly purpose: Purpose;
  readonly batchSize: number | undefined;
  readonly session: Session;
}

/**
 * Finds each named link once, with its domain. A file is checked completely before the first request. It is read again later, and never
 * held in memory. Throws a UsageError for a bad line.
 */
export async function namedLinks(
  selection: NamedHashes,
  narrowing: Narrowing,
  { purpose, session, batchSize: flag }: Naming,
): Promise<NamedLinks> {
  const { domains, given, lineOf, ...targets } = await targetsOf(selection, purpose, session);
  const batchSize = batchSizeOf(session, flag);
  const severalDomains = domains.length > 1;
  // A single unknown domain is reported by its name.
  const ignoreUnknownDomains = purpose === 'show' && severalDomains;
  return {
    ...narrowing,
    ...targets,
    given: { ...given, ...narrowing.given },
    kind: 'named',
    severalDomains,
    pages: () =>
      matchingPages(namedUrls(session.client, targets.open(), batchSize, { ignoreUnknownDomains }), {
        filter: narrowing.filter,
        length: batchSize,
        lineOf,
      }),
  };
}

interface Targets extends Pick<NamedLinks, 'given' | 'file' | 'count' | 'open'> {
  readonly domains: LinkDomains;
  lineOf?(target: LinkKey): number | undefined;
}

async function targetsOf(selection: NamedHashes, purpose: Purpose, session: Session): Promise<Targets> {
  const exact = isExact(purpose);
  if (selection.kind === 'hashes') {
    const { operands } = selection;
    const { targets, domains } = await resolveOperands(operands, session, exact ? 'typed change' : 'reading');
    return { given: exact ? { targets } : { operands }, count: targets.length, domains, open: () => targets };
  }
  const source = await session.openInput(selection.path, 'hashes');
  const { checkHashFile } = await import('../input/hash-file.ts');
  const { rows, domains, hasBare, items, lineOf } = await checkHashFile(
    source,
    session,
    exact ? 'listed change' : 'reading',
    purpose === 'change',
  );
  if (hasBare && !exact) await warnOfDefault(session);
  const sha256 = source.sha256();
  return {
    given: { sha256 },
    file: rereadable(source, sha256),
    count: rows,
    domains,
    open: items,
    lineOf,
  };
}

/** A change refuses such hashes. The links can be read without this warning, so a failed request is ignored. */
async function warnOfDefault({ domains, warn }: Session): Promise<void> {
  const { names, defaultDomain = 'the default domain' } = await domains().catch(() => ({ names: [], defaultDomain: undefined }));
  if (names.length < 2) return;
  await warn(`hashes without a domain are read on ${defaultDomain}: for others, list with --fields short_url, or set --domain`);
}

/** Returns the file of an input; undefined if it came through a pipe, which cannot be read again. */
export function rereadable(
  { name, copyTo }: Pick<Source, 'name'> & { readonly copyTo?: unknown },
  sha256: string,
): NamedLinks['file'] {
  return copyTo === undefined ? { name, sha256 } : undefined;
}

/** Yields the links that match, and the missing ones, after each group that was read. */
async function* matchingPages(
  named: AsyncIterable<SelectedLink>,
  { filter, length, lineOf }: { filter: LinkFilter | undefined; length: number } & Pick<Targets, 'lineOf'>,
): AsyncGenerator<SelectedPage> {
  let read = 0;
  let links: SelectedLink[] = [];
  for await (const link of named) {
    read += 1;
    if (!link.record || (filter?.matches(link.record) ?? true)) links.push({ ...link, line: lineOf?.(link.target) });
    if (read % length > 0) continue;
    yield { links, read };
    links = [];
  }
  yield { links, read };
}
