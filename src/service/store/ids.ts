/** Ids within one millisecond; the product with today's date stays below 2 to the 53rd until 2248. */
const idsPerMillisecond = 1024;

/** The smallest id of a URL created at `time`. Ids are made by the program, so that every engine has the same. */
export function idOfTime(time: number): number {
  return time * idsPerMillisecond;
}
