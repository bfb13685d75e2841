import { expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';

const pipeline = `digraph G { start [shape=Mdiamond] done [shape=Msquare]
  node [shape=parallelogram, timeout="5m", on_failure=stop]
  a [tool_command="LANG=C jq . a.json | gh api x"]
  b [tool_command="jq . b.json; ./gh"]
  start -> a -> b -> done }`;

/** The programs that are found to be missing, as they are marked in the text. */
function missing(text: string, isInstalled?: (program: string) => boolean): readonly string[] {
  return compile(text, { isInstalled }).diagnostics.map(
    ({ rule, span }) => `${rule}: ${text.slice(span.start, span.end)}`,
  );
}

test('each program is looked for by its name, and told once, where it is called first', () => {
  const asked: string[] = [];
  const isInstalled = (program: string): boolean => {
    asked.push(program);
    return program === 'npm';
  };
  expect(missing(pipeline, isInstalled)).toEqual(['program_missing: jq', 'program_missing: gh']);
  expect(asked).toEqual(['jq', 'gh']);
  expect(missing(pipeline, () => true)).toEqual([]);
});

test('without a machine to look at nothing is said, nor that its suppression is of no use', () => {
  const suppressed = pipeline.replace('  a [', '  // attractor-disable-next-line program_missing\n  a [');
  expect(missing(pipeline)).toEqual([]);
  expect(missing(suppressed)).toEqual([]);
  expect(missing(suppressed, (program) => program === 'jq')).toEqual([]);
});
