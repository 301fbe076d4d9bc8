import { dirname } from 'node:path';
import { LocalError, UsageError } from '../../base/errors.ts';
import { folders } from '../../base/system.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { cannot, fileError } from '../../files/file-error.ts';
import { absolutePath, syncFolder } from '../../files/folders.ts';
import type { Report } from '../../output/report.ts';
import { copyLinks, openLinks } from '../../service/backup.ts';
import { type ServeOptions, servedEdition } from './service-settings.ts';

export async function backUp(target: string, options: ServeOptions, { system, global, note }: Invocation): Promise<Report> {
  if (options.store ?? system.env.LINKCTL_STORE)
    throw new UsageError('--backup: copies a data folder; for a database, use pg_dump');
  const edition = servedEdition(options, global, system);
  const folder = options.data ?? folders(system).data;
  const links = await openLinks(folder, edition).catch(cannot('use the data folder', folder));
  if (!links) {
    throw new LocalError(`${folder} has no links of edition ${edition.toUpperCase()}`, {
      hint: '--data names the folder, --edition the edition',
    });
  }
  const file = absolutePath(target);
  try {
    copyLinks(links, file);
    syncFolder(dirname(file), system);
  } catch (error) {
    throw fileError(`copy the links in ${folder} to`, file, error);
  } finally {
    links.close();
  }
  await note(
    `copied the links of edition ${edition.toUpperCase()} to ${file}; to serve them, put the file into an empty data folder as links-${edition}.db`,
  );
  return { kind: 'text', text: '' };
}
