import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { type Compilation, compile } from '../../../src/compiler/compile.js';
import { fix } from '../../../src/compiler/fix.js';
import { hasErrors } from '../../../src/diagnostic/diagnostic.js';
import { meaningOf } from '../../compiler/fix-meaning.js';
import { fc, runsOf } from '../../support/fast-check.js';
import { fixturesIn } from '../../support/fixtures.js';
import { mutatedText } from '../../support/mutated-text.js';

// A text is compiled many times over, also where many processes share one core.
vi.setConfig({ testTimeout: 180_000 });

const examples = path.join(import.meta.dirname, '../../../examples');
const texts = [
  ...['lint', 'syntax', 'fix'].flatMap((folder) => fixturesIn(folder).map(({ text }) => text)),
  ...readdirSync(examples, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.dot'))
    .map((file) => readFileSync(path.join(examples, file), 'utf8')),
];

function errorsIn({ diagnostics }: Pick<Compilation, 'diagnostics'>): number {
  return diagnostics.filter(({ severity }) => severity === 'error').length;
}

test('98: fixes never add an error, and end where there is nothing more to fix', () => {
  fc.assert(
    fc.property(mutatedText(texts), (text) => {
      const { text: fixed, fixed: mended, compilation } = fix(text);
      const again = compile(fixed);
      expect(errorsIn(again)).toBeLessThanOrEqual(errorsIn(compile(text)));
      expect(compilation.diagnostics).toEqual(again.diagnostics);
      expect(fixed === text).toBe(mended.length === 0);
      expect(fix(fixed).text).toBe(fixed);
    }),
    { numRuns: runsOf(120) },
  );
});

/** Rules whose fixes give back a meaning that the text lost by a slip, so that it means something else afterwards. */
const restoring = new Map(
  ['attribute_known', 'outcome_known', 'output_ends_line', 'reasoning_effort_known', 'shape_known'].map(
    (rule) => [rule, 'off'] as const,
  ),
);

function expectSameMeaning({ source, graph }: Compilation): void {
  const { compilation } = fix(source.text, { ruleSettings: restoring });
  expect(meaningOf(compilation.graph)).toEqual(meaningOf(graph));
}

function isSound({ diagnostics }: Compilation): boolean {
  return !hasErrors(diagnostics);
}

test('98: fixes of a text without errors leave its meaning as it is', () => {
  for (const sound of texts.map((text) => compile(text)).filter(isSound)) expectSameMeaning(sound);
  fc.assert(
    fc.property(
      mutatedText(texts).filter((text) => isSound(compile(text))),
      (text) => expectSameMeaning(compile(text)),
    ),
    { numRuns: runsOf(120) },
  );
});
