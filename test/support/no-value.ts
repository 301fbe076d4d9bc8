/** A value that was printed by mistake. `NaN` only as a word: random names of folders have its letters. */
export const noValue: RegExp = /undefined|\bNaN\b|\[object \w+\]/;
