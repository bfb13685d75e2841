/**
 * What a report may still hold, its child runs included: a long run must not make a page that no browser opens. With all of
 * it used, a report takes about 12 MB.
 */
export interface Allowance {
  /** Visits in full, and in a line. */
  visits: number;
  rows: number;
  /** Characters of files. */
  text: number;
  /** Of drawings. */
  drawings: number;
  childRuns: number;
}

/** What one report may hold altogether. */
export function wholeAllowance(): Allowance {
  return { visits: 200, rows: 5000, text: 4_000_000, drawings: 1_500_000, childRuns: 25 };
}

/** Characters of one file: more than a person reads. */
export const fileKept = 40_000;

/** Characters of one value. */
export const valueKept = 2000;
