import { readTestFile, spanAt } from '../../../../src/testing/read-test-file.js';

/** Position in a file; lines and columns count from 0, as in the editor. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A case of a test file. */
export interface TestCase {
  readonly name: string;
  readonly place: Place;
}

/** Cases of a test file, and why it has none. */
export interface TestList {
  readonly cases: readonly TestCase[];
  /** First mistake of the file, in words; undefined for one that can be played. */
  readonly problem: string | undefined;
}

/** Lists the cases of a test file, without playing them. */
export function readTestList(text: string, name: string): TestList {
  const { file, source, document, diagnostics } = readTestFile(text, name);
  const cases = (file?.cases ?? []).map((one, index): TestCase => {
    const { line, column } = source.positionAt(spanAt(document, ['cases', index, 'name']).start);
    return { name: one.name, place: { line: line - 1, column: column - 1 } };
  });
  const [first] = diagnostics;
  const at = first && source.positionAt(first.span.start);
  return { cases, problem: first && `line ${at?.line}: ${first.message}` };
}
