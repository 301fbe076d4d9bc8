import { Command, type Option } from 'commander';
import { endOfFlags } from '../help/typed-line.ts';

/** Decides by the text of a flag's declaration, such as `-p, --profile <name>`. */
export type IsDeclared = (flags: string) => boolean;

export const everyFlag: IsDeclared = () => true;

/** Accepts the flags that the line may contain, and every flag if it may ask for help. A cluster such as `-qy` may contain each of its letters. */
export function typedFlags(argv: readonly string[]): IsDeclared {
  if (argv.length === 0 || argv.some((word) => /^(help|--help|-[^-]*h.*)$/.test(word))) return everyFlag;
  const words = argv.slice(0, endOfFlags(argv)).filter((word) => word.startsWith('-'));
  if (words.length === 0) return () => false;
  const long = new Set(words.map((word) => word.split('=')[0]));
  const letters = words.filter((word) => !word.startsWith('--')).join('');
  return (flags) =>
    flags.split(/[ ,]+/).some((name) => long.has(name) || (/^-[^-]$/.test(name) && letters.includes(name.slice(1))));
}

/** Leaves out flags that the line does not contain, because declaring them all takes longer than reading the line. */
export class LeanCommand extends Command {
  readonly #isDeclared: IsDeclared;

  constructor(name: string | undefined, isDeclared: IsDeclared) {
    super(name);
    this.#isDeclared = isDeclared;
  }

  override createCommand(name?: string): Command {
    return new LeanCommand(name, this.#isDeclared);
  }

  override option(flags: string, ...rest: never[]): this {
    return this.#isDeclared(flags) ? super.option(flags, ...rest) : this;
  }

  override addOption(option: Option): this {
    if (!this.#isDeclared(option.flags)) return this;
    super.addOption(option);
    // commander takes the opposite of a lone `--no-undo` for given.
    if (option.negate) this.setOptionValueWithSource(option.attributeName(), undefined, 'default');
    return this;
  }
}
