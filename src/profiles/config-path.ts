import { join } from 'node:path';
import { folders, type System } from '../base/system.ts';

export function configPath(system: Pick<System, 'env' | 'platform'>): string {
  return join(folders(system).config, 'config.json');
}
