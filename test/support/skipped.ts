import type { Reporter, TestModule } from 'vitest/node';

/** More are too many to read, and have one reason. */
const mostNames = 100;

/** Names at the end what could not be tested on this machine, and why (D57): a count alone is passed over. */
export class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const titles = new Map<string, string[]>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const { note } = test.result() as { note?: string };
        // Without a reason it is one that `-t` left out.
        if (note) titles.set(note, [...(titles.get(note) ?? []), `${module.relativeModuleId}: ${test.fullName}`]);
      }
    }
    for (const [reason, names] of titles) {
      const listed = names.length > mostNames ? [] : names;
      console.log([`\n${names.length} not tested: ${reason}`, ...listed].join('\n  '));
    }
  }
}
