/** A value that was printed by mistake. Whole words only: names of folders are random. */
export const noValue: RegExp = /\b(?:undefined|NaN)\b|\[object \w+\]/;
