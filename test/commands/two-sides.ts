import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Edition } from '../../src/contract/editions.ts';
import { startService } from '../../src/service/service.ts';
import { directlyTo } from '../support/direct.ts';
import { startFaultyServer } from '../support/faulty-server.ts';
import { apiKey, type Ran, runnerIn, username } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';

/** A service with ten links, what stands before it, and a home: one of two equal ones. */
export async function openSide(edition: Edition, folder: string) {
  mkdirSync(folder);
  const service = await startService({ edition, username, apiKey, redirects: false, domains: [{ name: 's.ex' }] });
  const wire = await startFaultyServer({ backend: directlyTo(service) });
  await store(service, numbered(10));
  const env = {
    HOME: folder,
    PATH: process.env.PATH ?? '',
    LINKCTL_BASE_URL: wire.baseUrl,
    LINKCTL_USERNAME: username,
    LINKCTL_API_KEY: apiKey,
    LINKCTL_EDITION: edition,
  };
  const close = async (): Promise<void> => {
    await wire.close();
    await service.close();
  };
  return { folder, wire, env, linkctl: runnerIn(env), [Symbol.asyncDispose]: close };
}

export type Side = Awaited<ReturnType<typeof openSide>>;

/** A command line, and name and text of its input, which is the last word. */
export interface Command {
  readonly words: readonly string[];
  readonly input: readonly [string, string];
}

const outputs = { json: 'jsonl', jsonl: 'csv', csv: 'csv', tsv: 'csv' } as const;
export type Format = keyof typeof outputs;
export const formats = Object.keys(outputs) as Format[];

export function wordsOf({ words, input: [name, text] }: Command, format: Format, { folder }: Side): string[] {
  writeFileSync(join(folder, name), text);
  const fields = format === 'csv' ? ['--fields', 'hash,short_url,short_url_with_protocol,long_url'] : [];
  const files = ['--results', `results.${outputs[format]}`, '--failed', `failed.${outputs[format]}`];
  const inFolder = files.map((word) => (word.startsWith('--') ? word : join(folder, word)));
  return [...words, join(folder, name), '--batch-size', '2', '--concurrency', '1', '-o', format, ...fields, ...inFolder];
}

/** What a run leaves in its files, whatever the port of the server is. */
export function written(format: Format, { folder, wire }: Side) {
  const read = (name: string): string => withoutPort(readFileSync(join(folder, `${name}.${outputs[format]}`), 'utf8'), wire);
  return { results: read('results'), failed: read('failed') };
}

/** What a run prints, without how long it took and how many calls this process made: JSON as values, other formats as lines. */
export function printed({ code, stdout }: Ran, format: Format, { wire }: Side) {
  const lines = withoutPort(stdout, wire)
    .replace(/"requests":\d+,"seconds":[\d.]+,/, '')
    .split('\n');
  return { code, lines: format.startsWith('json') ? lines.filter(Boolean).map((line) => JSON.parse(line)) : lines };
}

function withoutPort(text: string, { baseUrl }: Side['wire']): string {
  return text.replaceAll(new URL(baseUrl).host, 'the server');
}

/** The summary on stderr. */
export function countsOf({ stderr }: Ran): string | undefined {
  return /^\d+ rows: (.*) \(.* requests?,/m.exec(stderr.replaceAll(/ \(\S*failed\.\w+\)/g, ''))?.[1];
}

export async function calls({ wire }: Side, method: string): Promise<number> {
  return (await wire.requests()).filter((request) => request.method === method).length;
}
