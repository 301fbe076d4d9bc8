import { confirm } from '../../cli/prompt.ts';
import { whereabouts } from '../../cli/session.ts';
import { accountTags, addTags } from '../../client/tag-changes.ts';
import type { PlannedRequest } from '../../output/dry-run.ts';
import { quantity } from '../../output/quantity.ts';
import { namedTags } from '../tags.ts';
import type { CopyAccounts } from './copy-domains.ts';

/** Tags that no copied link brings along, and that the target lacks. */
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
  async find(hasLabel: (label: string) => Promise<boolean>): Promise<void> {
    const { source, target } = this.#accounts;
    const there = await accountTags(target.client);
    const unused: string[] = [];
    for (const label of (await accountTags(source.client)).labels) {
      if (there.spelled(label) === undefined && !(await hasLabel(label))) unused.push(label);
    }
    this.#labels = unused;
    if (unused.length > 0) await target.note(`${namedTags(unused)}: used by no copied link, would be added`);
  }

  /** Without links to copy, nothing else asks. */
  async consent(): Promise<void> {
    const { target } = this.#accounts;
    if (this.count > 0) await confirm(`Add ${quantity(this.count, 'tag')} to ${whereabouts(target)}?`, target);
  }

  requests(): PlannedRequest[] {
    return this.#labels.map((label) => ({ method: 'POST', path: '/tags', query: {}, body: { label } }));
  }

  async add(): Promise<void> {
    await addTags(this.#accounts.target.client, this.#labels);
  }
}
