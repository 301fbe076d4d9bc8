import { dayLength } from '../../base/times.ts';

/** UTC days are counted from 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / dayLength);
}

/** Ids stay below 2^53 until the year 2248. */
const idsPerMillisecond = 1024;

/** Returns the smallest id of URLs created at `time`. The program generates ids so that they are equal in every engine. */
export function idOfTime(time: number): number {
  return time * idsPerMillisecond;
}
