import type { Compilation } from '../compiler/compile.js';
import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { Span } from '../diagnostic/source.js';
import type { Program } from '../graph/program.js';
import { checkExpectations, type Mismatch } from './check-expectations.js';
import { type CostOfRequest, type Observation, playCase } from './play-case.js';
import { type ReadTestFile, spanAt } from './read-test-file.js';
import type { TestCase } from './test-file.js';
import { type Coverage, CoverageWatcher } from './watch-coverage.js';

/** Result of one case. */
export interface CaseResult {
  readonly name: string;
  readonly generated: boolean;
  /** Span of the name of the case in its file. */
  readonly span: Span;
  readonly seen: Observation;
  /** Expectations that do not hold; none for a case that passes. */
  readonly mismatches: readonly (Mismatch & { readonly span: Span })[];
  /** Points of the pipeline that it covers, with their numbers. */
  readonly coverage: Coverage;
  /** Real time that it took, in milliseconds. */
  readonly duration: number;
}

/** Result of the cases of a file. */
export interface FileResult {
  readonly read: ReadTestFile;
  /** Name of the pipeline's file. */
  readonly pipeline: string;
  /** Missing if the pipeline could not be read. */
  readonly compilation: Compilation | undefined;
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
  costOf: CostOfRequest | undefined,
  now: () => number,
): Promise<CaseResult> {
  const begin = now();
  const watcher = new CoverageWatcher(program);
  const seen = await playCase(program, one, { costOf, onEvent: (event) => watcher.note(event) });
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
    coverage: watcher.covered,
    duration: now() - begin,
  };
}

export function isPassed({ mismatches }: CaseResult): boolean {
  return mismatches.length === 0;
}
