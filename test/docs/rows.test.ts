import { describe, expect, it } from 'vitest';
import { definitionOfDone } from './definition-of-done.js';
import { readPage } from './markdown.js';
import { testTitles, titlesIn } from './test-titles.js';

/*
 * A test names the rows of docs/semantics.md that it proves at the beginning of its title: `54a: …`, or `54a, 4.8: …` with
 * a section of the specification besides; a paragraph of §12 by its heading, `§12 Values at run time: …`. Here is
 * checked that every row has such a test, and that the tests are there which prove the lines of the definition of done.
 */

const semantics = readPage('docs/semantics.md').text;
const titles = testTitles();

/** The sections that have rows: every row must have a test. */
const sections = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '13', '14', '15'];

function sectionOf(number: string): string {
  const [, section] = semantics.split(`\n## ${number}. `);
  if (section === undefined) throw new Error(`docs/semantics.md has no section ${number}`);
  return section.split('\n## ')[0] ?? '';
}

function rowsIn(text: string): readonly string[] {
  return [...text.matchAll(/^\| (\d+[a-z]?)(?: !+)? \|/gm)].map(([, id = '']) => id);
}

/** What a title refers to: the parts of what stands before its first colon. */
function referencesIn(title: string): readonly string[] {
  const [, prefix] = /^([^:]+): /.exec(title) ?? [];
  return prefix?.split(', ') ?? [];
}

const named = new Set(titles.flatMap(({ text }) => referencesIn(text)));
const rows = sections.flatMap((number) => rowsIn(sectionOf(number)));

describe('the rows of docs/semantics.md', () => {
  it('are seen: a table that is not read would always be complete', () => {
    expect(rows).toEqual(
      expect.arrayContaining(['1', '17g', '18', '20c', '37', '43f', '46a', '54a', '66b', '76', '99']),
    );
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(130);
  });

  it.each(rows)('%s has a test', (row) => {
    expect(named).toContain(row);
  });

  it.each([...sectionOf('12').matchAll(/\*\*([A-Z][^*]+?)\.?\*\*/g)].map(([, heading]) => heading))(
    '§12 %s has a test',
    (heading) => {
      expect(named).toContain(`§12 ${heading}`);
    },
  );

  it('are the ones that titles name', () => {
    const known = new Set(rowsIn(semantics));
    const wrong = titles.filter(({ text }) =>
      referencesIn(text).some((reference) => /^\d+[a-z]?$/.test(reference) && !known.has(reference)),
    );
    expect(wrong).toEqual([]);
  });

  it('are named at the beginning of a title, and nowhere else', () => {
    expect(titles.filter(({ text }) => text.includes('SEMANTICS'))).toEqual([]);
  });
});

describe('the definition of done', () => {
  const lines = Object.entries(definitionOfDone).flatMap(([section, proofs]) =>
    Object.entries(proofs).map(([line, proof]) => ({ section, line, proof })),
  );
  const known = new Set(titles.map(({ file, text }) => `${file}: ${text}`));

  it('is seen whole', () => {
    expect(Object.keys(definitionOfDone)).toEqual(
      ['11.3', '11.4', '11.5', '11.6', '11.7', '11.8', '11.9', '11.12'].map((number) =>
        expect.stringContaining(`${number} `),
      ),
    );
    expect(lines).toHaveLength(67);
  });

  it.each(lines)('$section: $line', ({ proof }) => {
    expect(proof.length).toBeGreaterThan(0);
    const missing = proof.map(([file, title]) => `${file}: ${title}`).filter((one) => !known.has(one));
    expect(missing).toEqual([]);
    // Whoever runs the tests once has seen it: those of these folders have commands of their own.
    expect(proof.filter(([file]) => /^(?:integration|proof|corpus|agents)\//.test(file))).toEqual([]);
  });
});

describe('titles', () => {
  it.each<[text: string, found: readonly string[]]>([
    ["describe('a', () => { test('b', check); it(`c ${1}`, check); });", ['a', 'b', 'c ']],
    ["test.each([['d', 1], ['e', 2]])('f %s', check);", ['d', 'e', 'f %s']],
    ["testEach([{ name: 'g', dot: 'no title' }], check);", ['g']],
    ["describe.skipIf(windows)('h', () => { test.concurrent('i', check); });", ['h', 'i']],
    ["test.skip('j', check); describe.skip('k', () => { test('l', check); }); test.todo('m');", []],
    ["expect(result).toBe('n'); // test('o')", []],
  ])('%s', (text, found) => {
    expect(
      titlesIn('some.test.ts', text)
        .map((title) => title.text)
        .sort(),
    ).toEqual(found);
  });
});
