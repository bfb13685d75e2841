/**
 * Remaining allowance of a report, its child runs included: a long run must not make a page that no browser
 * opens. A report that uses all of it takes about 14 MB.
 */
export interface Allowance {
  /** Visits in full; `rows` are visits in a line each. */
  visits: number;
  rows: number;
  /** Characters of files. */
  text: number;
  /** Characters of conversations, with their markup. */
  conversations: number;
  /** Characters of drawings. */
  drawings: number;
  childRuns: number;
}

/** Allowance of a whole report. */
export function newAllowance(): Allowance {
  return {
    visits: 200,
    rows: 5000,
    text: 4_000_000,
    conversations: 2_000_000,
    drawings: 1_500_000,
    childRuns: 25,
  };
}

/** Characters of one file: more than a person reads. */
export const fileKept = 40_000;

/** Characters of one conversation, with its markup. */
export const conversationKept = 100_000;
