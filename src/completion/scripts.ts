import { bashScript } from './bash-script.ts';
import { fishScript } from './fish-script.ts';
import { powershellScript } from './powershell-script.ts';
import { zshScript } from './zsh-script.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** The scripts know no commands: each TAB calls `linkctl __complete`. */
export const scripts: { readonly [S in Shell]: { readonly text: string; readonly file: string } } = {
  bash: { text: bashScript, file: 'linkctl.bash' },
  zsh: { text: zshScript, file: '_linkctl' },
  fish: { text: fishScript, file: 'linkctl.fish' },
  powershell: { text: powershellScript, file: 'linkctl.ps1' },
};
