import { type Compilation, compile } from '../../src/compiler/compile.js';
import type { Program } from '../../src/graph/program.js';
import { checkCases } from '../../src/testing/check-cases.js';
import { placeText, readTestFile } from '../../src/testing/read-test-file.js';
import { type FileResult, runCase } from '../../src/testing/run-cases.js';

/** A loop with a tool, two models and a person. */
export const review = `digraph review {
  inputs="branch: string = \\"main\\""
  start [shape=Mdiamond]
  exit [shape=Msquare]
  draft [prompt="Write about \${inputs.branch}."]
  test [shape=parallelogram, tool_command="./test"]
  fix [prompt="Repair: \${result.failure_reason}"]
  ok [shape=hexagon, label="Good enough?"]
  start -> draft -> test
  test -> ok [condition="outcome=success"]
  test -> fix [condition="outcome=fail"]
  fix -> test
  ok -> exit [label="Yes"]
  ok -> draft [label="No"]
}
`;

const compilations = new Map<string, Compilation>();

export function compiled(dot: string): Compilation & { readonly program: Program } {
  const compilation = compilations.get(dot) ?? compile(dot, { name: 'review.dot' });
  compilations.set(dot, compilation);
  const { program, diagnostics } = compilation;
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return { ...compilation, program };
}

/** Plays a test file for a pipeline, as `attractor test` does. */
export async function play(text: string, dot = review): Promise<FileResult> {
  const compilation = compiled(dot);
  const { program } = compilation;
  const read = readTestFile(text, 'review.test.yaml');
  const { file, document } = read;
  const diagnostics = file === undefined ? read.diagnostics : checkCases(file, program, document);
  const cases = [];
  if (file !== undefined && diagnostics.length === 0)
    for (const [index, one] of file.cases.entries())
      cases.push(await runCase(program, one, index, read, undefined, () => 0));
  return { read, pipeline: 'review.dot', compilation, diagnostics, cases };
}

/** Messages of a result with their places: `3:5 unknown_key: …` for mistakes, `visits.fix: …` for failed cases. */
export function told({ read, diagnostics, cases }: FileResult): readonly string[] {
  return [
    ...diagnostics.map(({ code, message, span }) => {
      const { line, column } = read.source.positionAt(span.start);
      return `${line}:${column} ${code}: ${message}`;
    }),
    ...cases.flatMap(({ mismatches }) =>
      mismatches.map(({ place, message, diff = [] }) => {
        const lines = diff.map(({ side, text }) => ({ both: ' ', expected: '-', actual: '+' })[side] + text);
        return [`${placeText(place)}: ${message}`, ...lines].join('\n');
      }),
    ),
  ];
}
