import manifest from '../../package.json' with { type: 'json' };

/** This program's version, `1.2.3`. */
export const version: string = manifest.version;

/** Where people read what this program is. */
export const homepage: string = manifest.homepage.replace(/#.*$/, '');

/** Where a bug of ours can be reported. */
export const issuesUrl: string = manifest.bugs.url;
