import { confirm } from '../../cli/prompt.ts';
import { whereabouts } from '../../cli/session.ts';
import { foldLabel } from '../../contract/tag-label.ts';
import type { PlannedRequest } from '../../output/dry-run.ts';
import { quantity } from '../../output/quantity.ts';
import { namedTags } from '../tags.ts';
import type { CopiedLinks } from './copy.ts';
import type { CopyAccounts } from './copy-domains.ts';

/** Tags that no copied link brings along, and that the target lacks (P4). */
export class CopiedTags {
  readonly #accounts: CopyAccounts;
  #labels: readonly string[] = [];

  constructor(accounts: CopyAccounts) {
    this.#accounts = accounts;
  }

  get count(): number {
    return this.#labels.length;
  }

  /** Finds out which they are, and says it before the question. */
  async find(links: CopiedLinks): Promise<void> {
    const { source, target } = this.#accounts;
    const there = new Set(await labelsOf(target, foldLabel));
    const unused: string[] = [];
    for (const label of await labelsOf(source)) {
      if (!there.has(foldLabel(label)) && !(await links.hasLabel(label))) unused.push(label);
    }
    this.#labels = unused;
    if (unused.length > 0) await target.note(`${namedTags(unused)}: used by no copied link, would be added`);
  }

  /** Where no links are copied, nothing else asks. */
  async consent(): Promise<void> {
    const { target } = this.#accounts;
    if (this.count > 0 && !target.global.yes)
      await confirm(`Add ${quantity(this.count, 'tag')} to ${whereabouts(target)}?`, target);
  }

  requests(): PlannedRequest[] {
    return this.#labels.map((label) => ({ method: 'POST', path: '/tags', query: {}, body: { label } }));
  }

  /** POST /tags makes only what is not there, so it can be repeated (4.2). */
  async add(): Promise<void> {
    for (const label of this.#labels) await this.#accounts.target.client.send('addTag', { body: { label } });
  }
}

async function labelsOf(
  { client }: CopyAccounts['source'],
  form: (label: string) => string = (label) => label,
): Promise<readonly string[]> {
  return (await client.send('listTags', {})).tags.map(({ label }) => form(label));
}
