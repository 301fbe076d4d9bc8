import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Step } from './faulty-steps.ts';

/** An answer before anything is done to it; status 0 stands for raw bytes. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
}

/** Answers, or fails to, as the step says. */
export async function end(
  { end: how }: Step,
  { status, headers, body: whole }: WholeAnswer,
  response: ServerResponse,
): Promise<void> {
  const { socket } = response;
  if (!socket || how === 'silent') return;
  if (how === 'reset') return reset(socket);
  if (status === 0) return void socket.end(whole);
  // A short one drips for six seconds, too: blanks before JSON mean nothing.
  const body = how === 'drip' ? Buffer.concat([Buffer.alloc(300, ' '), whole]) : whole;
  if (how === 'drip head') return drip(socket, Buffer.from(`HTTP/1.1 ${status} OK\r\nX-Slow: ${'a'.repeat(4000)}`));
  const half = body.subarray(0, Math.max(1, body.length >> 1));
  if (how === 'cut unframed') return void socket.end(`HTTP/1.1 ${status} OK\r\nconnection: close\r\n\r\n${half}`);
  const isChunked = how === 'cut chunked' || how === 'endless';
  const closes = how === 'early' && { connection: 'close' };
  response.writeHead(status, { ...headers, ...closes, ...(!isChunked && { 'content-length': String(body.length) }) });
  if (how === 'endless') return endless(response);
  if (how === 'cut' || how === 'cut chunked') return void response.write(half, () => setTimeout(() => reset(socket), 20));
  if (how === 'early') return void response.end(body, () => setTimeout(() => socket.destroy(), 50));
  if (how !== 'drip') return void response.end(body);
  response.flushHeaders();
  await drip(socket, body);
}

/** So that the client sees a reset; TLS can only close. */
export function reset(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

async function drip(socket: Socket, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    if (socket.destroyed) return;
    socket.write(Buffer.from([byte]));
    await delay(20);
  }
}

async function endless(response: ServerResponse): Promise<void> {
  const block = Buffer.alloc(1024 * 1024, ' ');
  while (!response.destroyed) {
    if (response.writableNeedDrain) await delay(1);
    else response.write(block);
  }
}
