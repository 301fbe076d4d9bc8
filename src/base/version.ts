import manifest from '../../package.json' with { type: 'json' };

/** This program's version, `1.2.3`. */
export const version: string = manifest.version;
