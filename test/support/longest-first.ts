import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Up to a minute each. vitest knows that only from an earlier run, and would else begin with the largest files and end with one of these. */
const longest = [
  'security/commands-and-faults',
  'behaviours',
  'security/lying-servers',
  'faults/trials',
  'faults/transport',
  'faults/application',
  'faults/rewrite',
  'completion/shells',
  'bin',
  'bulk/in-use',
  'bulk/trial',
  'service/postgres',
  'service/conventions',
  'service/shortening',
  'commands/resumed',
  'commands/groups',
  'faults/accounts',
  'faults/undo',
  'output/process',
  'readme',
].map((name) => `/test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? longest.length : place;
    };
    const sorted = (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
    // A worker ends where the next file is of another project, and what it has imported and compiled is gone.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => sorted.filter((file) => file.project === project));
  }
}
