import { fields as allFields, type Field, type FieldName } from '../../contract/fields.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { isSameLabel } from '../../contract/tag-label.ts';
import { cellValue, isRefused } from '../../input/field-values.ts';
import { type ItemOf, instruction } from '../../input/row.ts';
import { withoutDefaults } from '../../link/defaults.ts';
import { fieldsThatDiffer, foreignFields, notApplied } from '../../link/same.ts';
import { tagInstructions } from '../../link/tag-instructions.ts';
import type { LinkValues } from '../../link/value.ts';
import { unlessProtected } from './lost-protection.ts';
import type { ComparedLink, PlannedOutcome } from './outcome.ts';

/** A link of a file or a listing. `tags` contains all of its labels. */
export type FileLink = ItemOf['apply'];

/** Decides by the sides that have the link: "here" is the file, "there" the account compared with it. */
export interface Decisions {
  onlyHere(item: FileLink, target: LinkKey): PlannedOutcome;
  onlyThere(record: UrlRecord, target: LinkKey): PlannedOutcome;
  onBoth(item: FileLink, record: UrlRecord, target: LinkKey): PlannedOutcome;
}

export function decider(decisions: Decisions): (link: ComparedLink<FileLink>) => PlannedOutcome {
  return ({ item, record, target, protection }) => {
    if (item && record) return decisions.onBoth(item, record, target);
    if (item) return unlessProtected(decisions.onlyHere(item, target), { protection });
    return record ? decisions.onlyThere(record, target) : { kind: 'missing' };
  };
}

/** Brings an account in line with a file. `diff` shows these decisions. */
export const asInFile: Decisions = {
  onlyHere: ({ hash: _, domain: __, ...fields }) => ({ kind: 'create', fields: withoutDefaults(fields) }),
  onlyThere: () => ({ kind: 'delete' }),
  // Fields that the file leaves out are not compared. Spelling is ignored, because some servers normalise long URLs.
  onBoth({ hash: _, domain: __, ...fields }, record) {
    const { tags } = fields;
    const asked: EditFields = { ...fields, ...(tags && { tags: tagInstructions(tags, record.tags ?? []) }) };
    return changeOf(asked, fieldsThatDiffer(asked, record));
  },
};

/** Like `asInFile`, but deletes only links with the `--prune` label, and refuses to create links that would not match the file. */
export function asApplied(prune: string | undefined): Decisions {
  return {
    ...asInFile,
    onlyHere(item, target) {
      const reason = unmadeReason(item);
      return reason === undefined ? asInFile.onlyHere(item, target) : { kind: 'refused', reason: `no such link, and ${reason}` };
    },
    onlyThere: (record) =>
      carries(record, prune) ? { kind: 'delete' } : { kind: 'untouched', reason: 'not in the file, left unchanged' },
  };
}

function unmadeReason({ hash, long_url }: FileLink): string | undefined {
  if (long_url === undefined) return 'the row has no long_url';
  return isRefused(cellValue('custom_hash', hash)) ? 'its hash is not a custom hash' : undefined;
}

export function carries(record: UrlRecord | undefined, label: string | undefined): boolean {
  return label !== undefined && record?.tags?.some((tag) => isSameLabel(tag, label)) === true;
}

/** The listing that a file was made from. The author of the file changed the fields that differ. */
export interface BaseListing {
  readonly sha256: string;
  readonly name: string;
  /** It was read as the file of another service. */
  readonly isForeign: boolean;
  /** Undefined for a link that the listing lacks. */
  of(link: LinkKey): FileLink | undefined;
}

/** Restricts decisions to the author's changes. A link that someone else has changed since is left unchanged. */
export function sinceBase(decisions: Decisions, base: BaseListing | undefined): Decisions {
  if (!base) return decisions;
  return {
    onlyHere(item, target) {
      const was = base.of(target);
      if (!was) return decisions.onlyHere(item, target);
      const fields = changedFields(item, was);
      const reason = `deleted since ${base.name}`;
      if (Object.keys(fields).length === 0) return { kind: 'untouched', reason: `${reason}, left unchanged` };
      return { kind: 'refused', reason, fields };
    },
    onlyThere(record, target) {
      const outcome = decisions.onlyThere(record, target);
      if (outcome.kind !== 'delete') return outcome;
      const was = base.of(target);
      if (!was) return { kind: 'untouched', reason: 'created since the base, left unchanged' };
      const isOther = asInFile.onBoth(was, record, target).kind === 'change';
      return isOther ? { kind: 'refused', reason: 'changed since the base' } : outcome;
    },
    onBoth(item, record, target) {
      const was = base.of(target);
      if (!was) {
        const outcome = decisions.onBoth(item, record, target);
        const reason = `exists, and is not in ${base.name}`;
        return outcome.kind === 'change' ? { kind: 'refused', reason, fields: outcome.fields } : outcome;
      }
      const fields = changedFields(item, was);
      const outcome = changeOf(fields, fieldsThatDiffer(fields, record));
      return unlessForeign(outcome, { asked: fields, before: baseValues(fields, was), now: record }, ` ${base.name}`);
    },
  };
}

function changeOf(asked: EditFields, changed: readonly (keyof EditFields)[]): PlannedOutcome {
  if (changed.length === 0) return { kind: 'unchanged' };
  return { kind: 'change', fields: Object.fromEntries(changed.map((field) => [field, asked[field]])) };
}

/** Refuses a change of fields that somebody else has changed since `before`. `name` says when that was. */
export function unlessForeign(
  outcome: PlannedOutcome,
  { asked, before, now }: { readonly asked: EditFields; readonly before: LinkValues; readonly now: UrlRecord },
  name = '',
): PlannedOutcome {
  if (outcome.kind !== 'change') return outcome;
  const foreign = foreignFields(asked, { before, now }, notApplied(asked, now, 'instructions'));
  if (foreign.length === 0) return outcome;
  return { kind: 'refused', reason: `changed since${name}: ${foreign.join(', ')}`, fields: asked };
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the fields of a file that differ from its base, with tags as instructions. Tags of an edit may already have signs. */
export function changedFields(
  { hash: _, domain: __, ...fields }: ItemOf['edit'] & LinkKey,
  base: FileLink,
  mayHaveSigns = false,
): EditFields {
  const was: Values = { ...base };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      if (Array.isArray(value)) {
        const changes = tagInstructions(value, base.tags ?? []);
        // Labels of the base that begin with a sign are no instructions.
        if (changes.length === 0) return [];
        // Labels without signs are the complete list for the link.
        const hasSigns = mayHaveSigns && value.some((entry) => /^[+-]/.test(entry));
        return [[name, hasSigns ? value.map(instruction) : changes]];
      }
      if (name === 'custom_hash') return value === base.hash ? [] : [[name, value]];
      return value === (was[name] ?? defaultOf(name)) ? [] : [[name, value]];
    }),
  );
}

/** Returns the value of an empty cell in a listing. */
function defaultOf(name: string): unknown {
  const field: Field | undefined = allFields[name as FieldName];
  return field?.default;
}

/** Returns the base's values of the requested fields, except tags: instructions do not depend on other labels. */
export function baseValues(asked: EditFields, base: FileLink): EditFields {
  const was: Values = { ...base };
  const names = Object.keys(asked).filter((name) => name !== 'tags' && name !== 'custom_hash');
  return Object.fromEntries(names.map((name) => [name, was[name] ?? defaultOf(name)]));
}
