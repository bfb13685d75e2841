import { expect, test } from 'vitest';
import { format } from '../../src/format/format.js';
import { fc, runsOf } from '../support/fast-check.js';
import { fixturesIn } from '../support/fixtures.js';
import { pipelineText } from './arbitrary-pipeline.js';
import { readByGraphviz } from './graphviz.js';
import { commentsOf, drawingOf, meaningOf } from './meaning.js';

test('a pipeline keeps its graph and its comments, formatting again changes nothing, and Graphviz reads it', () => {
  fc.assert(
    fc.property(pipelineText, (text) => {
      const formatted = expectFormatted(text);
      expect(readByGraphviz(formatted)).toEqual(drawingOf(text));
    }),
    { numRuns: runsOf({ quick: 60, thorough: 400 }) },
  );
});

const pieces = [
  '[',
  ']',
  '{',
  '}',
  ',',
  ';',
  '->',
  '=',
  '"',
  '\\',
  '\n',
  '\r',
  ' ',
  '//',
  '/*',
  '*/',
  '#',
  'x',
  '\\n',
  '30s',
  'a.b=1',
  '\ufeff',
];

const mutated = fc
  .record({
    text: fc.constantFrom(...['syntax', 'lint', 'format'].flatMap(fixturesIn).map(({ text }) => text)),
    changes: fc.array(
      fc.record({ at: fc.nat(), deleted: fc.nat({ max: 5 }), inserted: fc.constantFrom('', ...pieces) }),
      { maxLength: 3 },
    ),
  })
  .map(({ text, changes }) =>
    changes.reduce((changed, { at, deleted, inserted }) => {
      const place = at % (changed.length + 1);
      return changed.slice(0, place) + inserted + changed.slice(place + deleted);
    }, text),
  );

test('a changed pipeline is formatted as well, or refused with an error', () => {
  fc.assert(
    fc.property(mutated, (text) => {
      const { text: formatted, diagnostics } = format(text);
      const isWrong = diagnostics.some(({ severity }) => severity === 'error');
      expect(formatted === undefined).toBe(isWrong);
      if (!isWrong) expectFormatted(text);
    }),
    { numRuns: runsOf({ quick: 60, thorough: 400 }) },
  );
});

test('any text gets an answer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const { text: formatted, diagnostics } = format(text);
      expect(formatted === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
    }),
  );
});

function expectFormatted(text: string): string {
  const formatted = format(text).text ?? '';
  expect(meaningOf(formatted)).toEqual(meaningOf(text));
  expect(commentsOf(formatted)).toEqual(commentsOf(text));
  expect(format(formatted).text).toBe(formatted);
  return formatted;
}
