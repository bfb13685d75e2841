import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fix } from '../../../src/compiler/fix.js';
import { parseDot } from '../../../src/parser/dot/parse.js';
import { quote } from '../../../src/parser/dot/quote.js';
import { fc, runsOf } from '../../support/fast-check.js';
import { plantedQuotes, withoutBackslashes } from '../../support/planted-quotes.js';

const folder = join(import.meta.dirname, '../../../examples');
const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.dot'))
  .map((name) => readFileSync(join(folder, name), 'utf8'));

test('no fix shortens a string of an example in which somebody quotes something', () => {
  fc.assert(
    fc.property(plantedQuotes(examples), ({ text, written }) => {
      // A quote in a condition or a list of keys leaves a slip of that language, with a fix of its own.
      fc.pre(!/(?:condition|fail_when|inputs|writes)=$/.test(text.slice(0, text.indexOf(written))));
      expect(withoutBackslashes(fix(text).text)).toContain(withoutBackslashes(written));
    }),
    { numRuns: runsOf({ quick: 30, thorough: 500 }) },
  );
});

// Nobody can tell prose from what it looks like where it is a right attribute, statement or sum (`x="a" + "b"`); the cases have such words.
const prose = fc
  .array(
    fc.constantFrom(
      ...['print', 'x', 'a -> b', 'f("a", b="c")', '"hello"', '"', '" "'],
      ...['"one two"', '."', 'and', ';', ':', '#', '//', '\n', '\n\n'],
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((words) => words.join(' '));
const written = fc
  .tuple(prose, fc.boolean())
  .map(([text, isTight]) => `"${isTight ? text.replaceAll(' ', '') : text}"`);

test.each([
  ['of a node', (text: string) => `digraph G {\n  a [prompt=${text}]\n  b\n  a -> b\n}\n`],
  [
    'before another attribute',
    (text: string) => `digraph G {\n  a [prompt=${text}, label="l"]\n  a -> b\n}\n`,
  ],
  [
    'after another attribute',
    (text: string) => `digraph G {\n  a [label="l", prompt=${text}];\n  a -> b\n}\n`,
  ],
  ['on one line', (text: string) => `digraph G { a [prompt=${text}] b [label="l"] a -> b }`],
])('no fix shortens a text %s that holds quotes', (_, around) => {
  fc.assert(
    fc.property(written, (text) => {
      const fixed = fix(around(text)).text;
      expect(withoutBackslashes(fixed)).toContain(withoutBackslashes(text));
    }),
    { numRuns: runsOf({ quick: 20, thorough: 500 }) },
  );
});

// A line that begins with a quote is a statement, and a semicolon ends one.
test('no fix shortens a text of the graph that holds quotes', () => {
  fc.assert(
    fc.property(prose, (text) => {
      const line = `"${text}"`.replaceAll(/[\n=;]/g, ' ');
      const given = `digraph G {\n  goal=${line}\n  a -> b\n}\n`;
      // What comes after the first quote may be statements and a comment, and the same edge twice is once too often.
      fc.pre(parseDot(given).diagnostics.length > 0);
      const fixed = fix(given).text;
      expect(withoutBackslashes(fixed)).toContain(withoutBackslashes(line));
    }),
    { numRuns: runsOf({ quick: 20, thorough: 500 }) },
  );
});

test('what is escaped rightly stays as it is', () => {
  fc.assert(
    fc.property(prose, (text) => {
      const right = `digraph G {\n  a [prompt=${quote(text)}, label="l"]\n}\n`;
      expect(fix(right).fixed.filter(({ rule }) => rule === 'syntax')).toEqual([]);
    }),
    { numRuns: runsOf({ quick: 20, thorough: 500 }) },
  );
});
