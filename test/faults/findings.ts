/** What an oracle found: how many, and what happened. `faultNames` must all be 0. */
export const faultNames = [
  'lost',
  'duplicated',
  'wrong',
  'falseNotSent',
  'falseFailed',
  'falseDone',
  'falseCreated',
  'touched',
  'afterEnd',
  'unaccounted',
  'falseOk',
  'stuck',
  'crashed',
] as const;

export type FaultName = (typeof faultNames)[number];

export interface Findings {
  readonly seed: number;
  /** What was tried: `checked, typed`. */
  readonly title: string;
  readonly rows: number;
  readonly starts: number;
  readonly signals: number;
  readonly requests: number;
  readonly faults: { readonly [F in FaultName]: number };
  /** A sentence for each fault. */
  readonly notes: readonly string[];
  /** Links more than rows, of which a word was said; in checked mode nobody can exclude them. */
  readonly toldTwice: number;
  /** What nobody can know, with requests that come late or others that write equal rows. */
  readonly excused: number;
  readonly unknown: number;
  readonly cause: string;
}

export interface Notebook {
  add(fault: FaultName, note: string): void;
  faults(): { [F in FaultName]: number };
  readonly notes: string[];
}

/** Notes of one kind of fault in one trial. */
const shownNotes = 4;

export function openNotebook(): Notebook {
  const counts = Object.fromEntries(faultNames.map((name) => [name, 0])) as { [F in FaultName]: number };
  const notes: string[] = [];
  return {
    notes,
    faults: () => counts,
    add(fault, note) {
      counts[fault] += 1;
      if (counts[fault] <= shownNotes) notes.push(`${fault}: ${note}`);
    },
  };
}

export function isClean({ faults }: Findings): boolean {
  return faultNames.every((name) => faults[name] === 0);
}

export function grouped<T, K>(list: Iterable<T>, keyOf: (member: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const member of list) {
    const key = keyOf(member);
    const group = groups.get(key);
    if (group) group.push(member);
    else groups.set(key, [member]);
  }
  return groups;
}
