import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { Span } from '../diagnostic/source.js';
import type { Program } from '../graph/program.js';
import { checkExpectations, type Mismatch } from './check-expectations.js';
import { type Observation, type Observers, playCase } from './play-case.js';
import { type ReadTestFile, spanAt } from './read-test-file.js';
import type { TestCase } from './test-file.js';

/** Result of one case. */
export interface CaseResult {
  readonly name: string;
  readonly generated: boolean;
  /** Span of the name of the case in its file. */
  readonly span: Span;
  readonly seen: Observation;
  /** Expectations that do not hold; none for a case that passes. */
  readonly mismatches: readonly (Mismatch & { readonly span: Span })[];
  /** Real time that it took, in milliseconds. */
  readonly duration: number;
}

/** Result of the cases of a file. */
export interface FileResult {
  readonly read: ReadTestFile;
  /** Name of the pipeline's file. */
  readonly pipeline: string;
  /** Mistakes in the test file or its pipeline, which keep its cases from being played. */
  readonly diagnostics: readonly Diagnostic[];
  readonly cases: readonly CaseResult[];
}

/**
 * Plays one case, and compares.
 * @param now milliseconds of a clock of the caller
 */
export async function runCase(
  program: Program,
  one: TestCase,
  index: number,
  { document }: ReadTestFile,
  observers: Observers,
  now: () => number,
): Promise<CaseResult> {
  const begin = now();
  const seen = await playCase(program, one, observers);
  const place = ['cases', index];
  return {
    name: one.name,
    generated: one.generated === true,
    span: spanAt(document, [...place, 'name']),
    seen,
    mismatches: checkExpectations(one.expect, seen).map((mismatch) => ({
      ...mismatch,
      span: spanAt(document, [...place, 'expect', ...mismatch.place]),
    })),
    duration: now() - begin,
  };
}

export function isPassed({ mismatches }: CaseResult): boolean {
  return mismatches.length === 0;
}
