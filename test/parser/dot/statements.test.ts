import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDot } from '../../../src/parser/dot/parse.js';
import { fc } from '../../support/fast-check.js';
import { outline } from './outline.js';

/*
 * Statements, right ones and whatever can be put together of their parts, with the tree and the findings that they have always
 * had: three lines each, the text, the outline and the codes with their places.
 */
const written = readFileSync(path.join(import.meta.dirname, 'statements.txt'), 'utf8');
const cases = [...written.matchAll(/^"(.*)"\n {4}(.*)(?:\n {4}(.*))?$/gm)].map(
  ([, text, tree, findings = '']) => [JSON.parse(`"${text}"`) as string, tree, findings] as const,
);

describe('statements', () => {
  test('are all seen', () => {
    expect(cases).toHaveLength(written.split('\n').filter((line) => line.startsWith('"')).length);
  });

  test.each(cases)('%j', (body, tree, findings) => {
    const { document, diagnostics } = parseDot(`digraph G { ${body} }`);
    expect(outline(document.graph)).toBe(tree);
    expect(diagnostics.map(({ code, span }) => `${code} ${span.start}-${span.end}`).join(', ')).toBe(
      findings,
    );
  });

  const right = [
    'a [x=1]',
    'a [x=1, "y.z"="s", w=true]',
    'a -> b -> c [x=1]',
    'b -> c',
    'node [y=2]',
    'k = "v"',
    'a',
  ];
  const wrong = [
    'a [x=1 y=2]',
    'a [x==1]',
    'a [x=1,]',
    'a [x=1][y=2]',
    'a -- b',
    'a:p -> b',
    'my-node [x=1]',
    '-> b',
  ];

  test('read the same alone as among others', () => {
    const statements = fc.array(fc.constantFrom(...right, ...wrong), { minLength: 1, maxLength: 8 });
    const treeOf = (body: string) =>
      outline(parseDot(`digraph G { ${body} }`).document.graph).slice('G: '.length);
    fc.assert(
      fc.property(statements, (list) => {
        const alone = list.map((statement) => treeOf(`${statement};`)).filter((tree) => tree !== '');
        expect(treeOf(list.join(';\n'))).toBe(alone.join('; '));
      }),
      { numRuns: 300 },
    );
  });
});
