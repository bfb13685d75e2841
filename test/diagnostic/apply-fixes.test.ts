import { describe, expect, test } from 'vitest';
import { applyFixes } from '../../src/diagnostic/apply-fixes.js';
import type { Diagnostic, TextEdit } from '../../src/diagnostic/diagnostic.js';
import { fc } from '../support/fast-check.js';

/** A finding whose fix puts texts in the place of others: `[start, end, text]`. */
function fixing(rule: string, ...edits: readonly (readonly [number, number, string])[]): Diagnostic {
  return {
    rule,
    severity: 'error',
    message: 'm',
    span: { start: 0, end: 0 },
    fix: { title: 't', edits: edits.map(([start, end, text]) => ({ span: { start, end }, text })) },
  };
}

function unsafe(finding: Diagnostic): Diagnostic {
  return { ...finding, fix: { title: 't', edits: finding.fix?.edits ?? [], unsafe: true } };
}

describe('98: one round of fixes', () => {
  test.each<readonly [string, readonly Diagnostic[], string, readonly string[]]>([
    ['nothing to do', [], 'abcdef', []],
    ['in the order of the text', [fixing('b', [4, 5, 'X']), fixing('a', [0, 1, 'Y'])], 'YbcdXf', ['a', 'b']],
    ['the earlier of two that overlap', [fixing('b', [2, 4, 'X']), fixing('a', [1, 3, 'Y'])], 'aYdef', ['a']],
    [
      'an insertion inside of what is replaced',
      [fixing('a', [1, 4, 'Y']), fixing('b', [2, 2, 'X'])],
      'aYef',
      ['a'],
    ],
    [
      'neighbours',
      [fixing('a', [1, 2, 'Y']), fixing('b', [2, 2, ',']), fixing('c', [2, 3, 'Z'])],
      'aY,Zdef',
      ['a', 'b', 'c'],
    ],
    [
      'one of two insertions at a place',
      [fixing('a', [2, 2, 'X']), fixing('b', [2, 2, 'Y'])],
      'abXcdef',
      ['a'],
    ],
    [
      'two different ones of one rule',
      [fixing('a', [2, 2, 'X']), fixing('a', [2, 2, 'Y'])],
      'abXYcdef',
      ['a', 'a'],
    ],
    ['the same one of one rule once', [fixing('a', [2, 2, 'X']), fixing('a', [2, 2, 'X'])], 'abXcdef', ['a']],
    [
      'a fix whole or not at all',
      [fixing('a', [0, 1, 'X']), fixing('b', [0, 1, 'Y'], [4, 5, 'Y'])],
      'Xbcdef',
      ['a'],
    ],
    ['all edits of a fix', [fixing('a', [4, 5, ''], [0, 0, '<'])], '<abcdf', ['a']],
    ['no guess', [unsafe(fixing('a', [0, 1, 'X']))], 'abcdef', []],
    ['no advice', [fixing('a')], 'abcdef', []],
    ['nothing that changes nothing', [fixing('a', [0, 1, 'a'])], 'abcdef', []],
    ['nothing outside of the text', [fixing('a', [5, 7, 'X']), fixing('b', [-1, 0, 'X'])], 'abcdef', []],
    ['nothing that contradicts itself', [fixing('a', [0, 2, 'X'], [1, 3, 'Y'])], 'abcdef', []],
  ])('%s', (_, findings, expected, rules) => {
    const { text, applied } = applyFixes('abcdef', findings);
    expect(text).toBe(expected);
    expect(applied.map(({ rule }) => rule)).toEqual(rules);
  });

  test('leaves all text outside of the edits as it is', () => {
    const edit: fc.Arbitrary<TextEdit> = fc
      .tuple(fc.nat({ max: 40 }), fc.nat({ max: 4 }), fc.string({ maxLength: 3 }))
      .map(([start, length, text]) => ({ span: { start, end: start + length }, text }));
    const finding = fc
      .tuple(fc.constantFrom('a', 'b'), fc.array(edit, { minLength: 1, maxLength: 3 }))
      .map(([rule, edits]): Diagnostic => ({ ...fixing(rule), fix: { title: 't', edits } }));
    fc.assert(
      fc.property(
        fc.string({ minLength: 30, maxLength: 44 }),
        fc.array(finding, { maxLength: 12 }),
        (text, findings) => {
          const { text: result, applied } = applyFixes(text, findings);
          const edits = applied.flatMap(({ fix }) => fix?.edits ?? []);
          const grown = edits.reduce(
            (sum, { span, text: put }) => sum + put.length - (span.end - span.start),
            0,
          );
          expect(result.length).toBe(text.length + grown);
          expect(applied.length > 0 || result === text).toBe(true);
          // Every character that no edit covers is still there, as far behind as the edits before it have moved it.
          for (const [offset, character] of [...text.split('').entries()]) {
            if (edits.some(({ span }) => span.start <= offset && offset < span.end)) continue;
            const before = edits.filter(({ span }) => span.end <= offset);
            const moved = before.reduce(
              (sum, { span, text: put }) => sum + put.length - (span.end - span.start),
              0,
            );
            expect(result[offset + moved]).toBe(character);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
