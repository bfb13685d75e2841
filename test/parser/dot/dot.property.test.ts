import { expect, test } from 'vitest';
import type { Span } from '../../../src/diagnostic/source.js';
import type { Statement } from '../../../src/parser/dot/ast.js';
import { parseDot } from '../../../src/parser/dot/parse.js';
import { fc, runsOf } from '../../support/fast-check.js';
import { fixturesIn } from '../../support/fixtures.js';
import { outline } from './outline.js';

const words = [
  'digraph',
  'graph',
  'node',
  'edge',
  'subgraph',
  'strict',
  'Digraph',
  'a',
  'b-c',
  'd.e',
  'ü',
  'true',
];
const values = ['"s"', '"\\d"', "'q'", '1', '.5', '-2s', '5.', '3.5-turbo', '<h>', '<', '#c', '"'];
const signs = [
  '->',
  '--',
  '-->',
  '=',
  '==',
  ':',
  ',',
  ';',
  '[',
  ']',
  '{',
  '}',
  '+',
  '@',
  '/*',
  '*/',
  '//',
  '#',
  '(',
  '\u00a0',
];
const blanks = [' ', '\n', '\r\n', ''];

const soup = fc
  .array(fc.tuple(fc.constantFrom(...words, ...values, ...signs, ...signs), fc.constantFrom(...blanks)))
  .map((pieces) => pieces.flat().join(''));

const mutated = fc
  .record({
    text: fc.constantFrom(...fixturesIn('syntax').map(({ text }) => text)),
    at: fc.nat(),
    deleted: fc.nat({ max: 5 }),
    inserted: fc.constantFrom('', ...signs, ...words, ...values),
  })
  .map(({ text, at, deleted, inserted }) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + inserted + text.slice(place + deleted);
  });

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  soup,
  soup.map((text) => `digraph G { ${text} }`),
  soup.map((text) => `digraph G { a [x=1 ${text} y=2] b -> c }`),
  mutated,
);

test('any text gives findings and a tree whose spans lie in the text, findings in order', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { document, diagnostics } = parseDot(text);
      const places = diagnostics.flatMap(({ span, fix, related }) => [
        span,
        ...(fix?.edits ?? []).map((edit) => edit.span),
        ...(related ?? []).map((place) => place.span),
      ]);
      for (const span of [...places, ...document.comments.map((comment) => comment.span)])
        expectInside(span, text);
      if (document.graph !== undefined) {
        expectInside(document.graph.name.span, text);
        expectNested(document.graph.statements, document.graph.span, text);
      }
      const starts = diagnostics.map(({ span }) => span.start);
      expect(starts).toEqual(starts.toSorted((one, other) => one - other));
    }),
    { numRuns: runsOf({ quick: 500, thorough: 5000 }) },
  );
});

test('a place has a code only once', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const keys = parseDot(text).diagnostics.map(({ code, span }) => `${code} ${span.start}`);
      expect(keys.filter((key, index) => keys.indexOf(key) !== index && !key.startsWith('too_many'))).toEqual(
        [],
      );
    }),
    { numRuns: runsOf({ quick: 200, thorough: 2000 }) },
  );
});

test('a warning hides no error', () => {
  // In a line comment a string of two lines would be half a comment.
  const inner = signs.filter((sign) => sign !== '//' && sign !== '#');
  const piece = fc.constantFrom(...words, '"\\d"', '"\n\\d"', '1', '[x="\\d"]', ...inner, ...inner);
  const text = fc
    .array(fc.tuple(piece, fc.constantFrom(...blanks)))
    .map((pieces) => `digraph G { ${pieces.flat().join('')} }`);
  const errorsIn = (written: string) =>
    parseDot(written).diagnostics.flatMap(({ severity, code, span }) =>
      severity === 'error' ? [`${code} ${span.start}`] : [],
    );
  fc.assert(
    fc.property(text, (withWarnings) => {
      expect(errorsIn(withWarnings)).toEqual(errorsIn(withWarnings.replaceAll('\\d', 'xd')));
    }),
    { numRuns: runsOf({ quick: 500, thorough: 5000 }) },
  );
});

function expectInside({ start, end }: Span, text: string): void {
  expect(0 <= start && start <= end && end <= text.length).toBe(true);
}

function expectNested(statements: readonly Statement[], outer: Span, text: string): void {
  for (const statement of statements) {
    expectInside(statement.span, text);
    expect(outer.start <= statement.span.start && statement.span.end <= outer.end).toBe(true);
    if (statement.kind === 'subgraph') expectNested(statement.statements, statement.span, text);
  }
}

// Right graphs: each piece is a pair of its text and its outline.

type Piece = readonly [text: string, outline: string];

const id = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,6}$/)
  .filter((name) => !words.slice(0, 5).includes(name));
const gap = fc.constantFrom(' ', '\n', '\r\n\t', ' /* c */ ', ' // c\n');
const key: fc.Arbitrary<Piece> = fc.oneof(
  id.map((name): Piece => [name, name]),
  fc.tuple(id, id).map(([left, right]): Piece => [`${left}.${right}`, `${left}.${right}`]),
  fc.string().map((name): Piece => [quoted(name), JSON.stringify(name)]),
  fc.constantFrom('node', 'graph', 'subgraph').map((name): Piece => [name, name]),
);
const value: fc.Arbitrary<Piece> = fc.oneof(
  fc.string().map((text): Piece => [quoted(text), JSON.stringify(text)]),
  fc.integer().map((number): Piece => [`${number}`, `integer:${number}`]),
  fc.constantFrom('.5', '0.25', '-3.14').map((text): Piece => [text, `float:${text}`]),
  fc.constantFrom('900s', '5ms', '1d').map((text): Piece => [text, `duration:${text}`]),
  fc.boolean().map((flag): Piece => [`${flag}`, `boolean:${flag}`]),
  fc.constantFrom('box', 'gpt-5.4', 'summary:high', 'node').map((text): Piece => [text, `bare:${text}`]),
);
const attribute = fc
  .tuple(key, gap, value)
  .map(([k, blank, v]): Piece => [`${k[0]}${blank}=${v[0]}`, `${k[1]}=${v[1]}`]);
const block = fc.tuple(fc.array(attribute, { maxLength: 4 }), gap).map(([attributes, blank]): Piece => {
  const text = attributes.map((one) => one[0]).join(`,${blank}`);
  const short = attributes.map((one) => one[1]).join(', ');
  return [`[${text}${blank}]`, attributes.length === 0 ? '' : `[${short}]`];
});
const optionalBlock = fc.oneof(fc.constant<Piece>(['', '']), block);
const chain = fc.tuple(fc.array(id, { minLength: 1, maxLength: 4 }), gap);

const { statements } = fc.letrec<{ statement: Piece; statements: Piece }>((tie) => ({
  statements: fc
    .tuple(fc.array(tie('statement'), { maxLength: 5 }), gap)
    .map(
      ([list, blank]): Piece => [
        list.map((one) => one[0] + blank).join(''),
        list.map((one) => one[1]).join('; '),
      ],
    ),
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .tuple(chain, optionalBlock, fc.constantFrom('', ';'))
      .map(
        ([[ids, blank], attributes, end]): Piece => [
          `${ids.join(`${blank}->`)} ${attributes[0]}${end}`,
          `${ids.join('->')}${attributes[1]}`,
        ],
      ),
    attribute.map((one): Piece => [`${one[0]};`, one[1]]),
    fc
      .tuple(fc.constantFrom('graph', 'node', 'edge'), block)
      .map(([word, one]): Piece => [`${word} ${one[0]}`, `${word}${one[1]}`]),
    fc
      .tuple(fc.option(id), tie('statements'))
      .map(
        ([name, inner]): Piece => [
          `subgraph ${name ?? ''} { ${inner[0]} }`,
          `subgraph ${name ?? '-'} {${inner[1]}}`,
        ],
      ),
  ),
}));

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

test('a right graph is read without findings and as it was meant', () => {
  fc.assert(
    fc.property(statements, ([text, expected]) => {
      const { document, diagnostics } = parseDot(`digraph G { ${text} }`);
      expect(diagnostics).toEqual([]);
      expect(outline(document.graph)).toBe(`G: ${expected}`);
    }),
    { numRuns: runsOf({ quick: 200, thorough: 2000 }) },
  );
});
