import type { Command } from 'commander';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { type Shell, scripts, shells } from '../completion/scripts.ts';
import { choice } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import type { Report } from '../output/report.ts';

export function register(command: Command, run: Runner): void {
  command.argument('<shell>', shells.join(', '), choice(shells)).action(run(completion));
  describe(command, {
    examples: shells.map((shell) => `linkctl completion ${shell}`),
    onlyReads: true,
    notes: [
      'The script is printed to stdout; nothing is installed. To enable completion in new shells:',
      installation.join('\n'),
      'For a hash of list, edit, delete or stats, TAB asks the server, for at most 0.8 seconds. It starts no api_key_command. ' +
        'Everything else comes from files on this computer.',
    ],
  });
}

async function completion(_options: object, _invocation: Invocation, [shell]: string[]): Promise<Report> {
  return { kind: 'text', text: scripts[shell as Shell].text };
}

const installation = [
  '  bash  mkdir -p ~/.local/share/bash-completion/completions',
  '        linkctl completion bash > \\',
  '          ~/.local/share/bash-completion/completions/linkctl',
  '        without the package bash-completion, add to ~/.bashrc instead:',
  '        source <(linkctl completion bash)',
  '',
  '  zsh   mkdir -p ~/.zfunc && linkctl completion zsh > ~/.zfunc/_linkctl',
  '        and in ~/.zshrc: fpath+=(~/.zfunc); autoload -Uz compinit; compinit',
  '',
  '  fish  mkdir -p ~/.config/fish/completions',
  '        linkctl completion fish > ~/.config/fish/completions/linkctl.fish',
  '',
  '  PowerShell, in the file $PROFILE:',
  '        linkctl completion powershell | Out-String | Invoke-Expression',
];
