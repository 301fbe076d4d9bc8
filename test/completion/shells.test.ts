import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { needs, type Tool } from '../support/tools.ts';
import { hostileTag, makeShellHome, type ShellHome } from './shell-home.ts';

let home: ShellHome;
beforeAll(async () => {
  home = await makeShellHome();
  await home.write('.bashrc', "PS1='READY> '; source <(linkctl completion bash)\n");
  await home.write('.bashrc-package', "PS1='READY> '; source /usr/share/bash-completion/bash_completion\n");
  await home.write('links.csv', 'long_url\n');
  const other = `#!/bin/sh\n[ "$1" = __complete ] && printf 'elsewhere\\n:4\\n' || echo "[$1]" >> "$HOME/record"\n`;
  await home.write('other/linkctl', other);
  chmodSync(join(home.folder, 'other', 'linkctl'), 0o755);
  const install = `linkctl completion bash > ~/.local/share/bash-completion/completions/linkctl
    linkctl completion zsh > ~/.zfunc/_linkctl
    linkctl completion fish > ~/.config/fish/completions/linkctl.fish`;
  await home.write('.zshrc', "PS1='READY> '; fpath+=(~/.zfunc); autoload -Uz compinit; compinit -u; bindkey -e\n");
  // Where fish finds no folder of generated completions, it reads every manual page of the machine in the background.
  const places =
    '~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions ~/.local/share/fish/generated_completions';
  await home.write('install', `mkdir -p ${places}\n${install}\n`);
  execFileSync('sh', ['install'], { cwd: home.folder, env: home.env });
});
afterAll(() => home.remove());

const shells: Record<string, readonly [Tool, ...string[]]> = {
  bash: ['bash', '--noprofile', '--rcfile', '.bashrc', '-i'],
  'bash with the package bash-completion': ['bash', '--noprofile', '--rcfile', '.bashrc-package', '-i'],
  zsh: ['zsh', '-d', '-i'],
  fish: ['fish', '-i', '-C', 'function fish_prompt; echo -n "READY> "; end; function fish_greeting; end'],
};

describe.each(Object.entries(shells))('%s', (name, shell) => {
  beforeEach(() => needs(...(name.endsWith('bash-completion') ? (['bash-completion'] as const) : [])));

  test('B94, T11: a tag $(touch pwned) stays a tag, at TAB and at Enter', async () => {
    const typed = [
      'linkctl shorten --tag \\$\t',
      'linkctl shorten --tag=\\$\t',
      'linkctl shorten --tag "x" --tag \\$\t -q',
      "linkctl shorten --tag '$\t",
      'linkctl shorten --tag "pro\t',
    ];
    expect(await home.typeInto(shell, typed)).toEqual([
      ['shorten', '--tag', hostileTag],
      ['shorten', `--tag=${hostileTag}`],
      ['shorten', '--tag', 'x', '--tag', hostileTag, '-q'],
      ['shorten', '--tag', hostileTag],
      ['shorten', '--tag', 'promo'],
    ]);
    expect(home.has('pwned')).toBe(false);
  });

  test('B95: commands, flags, words, profiles, domains, tags and files are completed', async () => {
    const typed = [
      'linkctl sho\t',
      'linkctl list --lim\t7',
      'linkctl list -o jsonl --order-by clicks --outp\t',
      'linkctl list -o ta\t',
      'linkctl list --output=ta\t',
      'linkctl -p ho\tlist --domain go\t',
      'linkctl shorten --tag pro\t',
      'linkctl shorten --tag a\t',
      'linkctl shorten --tag a:b=\t',
      'linkctl shorten --tag it\t',
      'linkctl shorten --tag 例\t',
      'linkctl list --by-tags pro\t',
      "linkctl list --by-tags 'a & pro\t",
      'linkctl shorten -f lin\t',
    ];
    expect(await home.typeInto(shell, typed)).toEqual([
      ['shorten'],
      ['list', '--limit', '7'],
      ['list', '-o', 'jsonl', '--order-by', 'clicks', '--outp'],
      ['list', '-o', 'table'],
      ['list', '--output=table'],
      ['-p', 'hobby', 'list', '--domain', 'go.example'],
      ['shorten', '--tag', 'promo'],
      ['shorten', '--tag', 'a:b=c'],
      ['shorten', '--tag', 'a:b=c'],
      ['shorten', '--tag', "it's here"],
      ['shorten', '--tag', '例え'],
      ['list', '--by-tags', 'promo'],
      ['list', '--by-tags', 'a & promo'],
      ['shorten', '-f', 'links.csv'],
    ]);
  });

  test('Q6: the program that is typed is asked, in whatever place it is', async () => {
    // The package bash-completion loads the script at the first plain name.
    expect(await home.typeInto(shell, ['linkctl sho\t', '~/other/linkctl els\t', 'other/linkctl els\t'])).toEqual([
      ['shorten'],
      ['elsewhere'],
      ['elsewhere'],
    ]);
  });

  test('B95: for hashes and URLs no files are offered', async () => {
    expect(await home.typeInto(shell, ['linkctl list lin\t', 'linkctl shorten lin\t'])).toEqual([
      ['list', 'lin'],
      ['shorten', 'lin'],
    ]);
  });
});

test('B94: bash gets a list with plain commas, which mean nothing outside braces', () => {
  needs('bash');
  const words = "COMP_LINE='linkctl list --fields hash,lo' COMP_WORDS=(linkctl list --fields hash,lo) COMP_CWORD=3";
  const script = `source <(linkctl completion bash); ${words}; COMP_POINT=\${#COMP_LINE}; _linkctl; echo "\${COMPREPLY[@]}"`;
  expect(execFileSync('bash', ['--noprofile', '--norc', '-c', script], { env: home.env, encoding: 'utf8' })).toBe(
    'hash,long_url\n',
  );
});
