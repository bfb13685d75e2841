import { describe, expect, test } from 'vitest';
import { findingsText } from '../../src/cli/output/findings-text.js';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { renderPretty } from '../../src/diagnostic/render-pretty.js';
import { SourceText } from '../../src/diagnostic/source.js';

// Last lines of a report of lint: which rules found how much, and what a call would fix or show.

type Kind = Pick<Diagnostic, 'rule' | 'code' | 'severity' | 'fix'>;

const comma: Kind = {
  rule: 'syntax',
  code: 'missing_comma',
  severity: 'error',
  fix: { title: 'insert a comma', edits: [{ span: { start: 0, end: 0 }, text: ',' }] },
};
const guess: Kind = {
  ...comma,
  code: 'other',
  fix: { title: 'perhaps', edits: [{ span: { start: 0, end: 0 }, text: ',' }], unsafe: true },
};
const loop: Kind = { rule: 'loop', severity: 'warning' };

function lastLines(
  kinds: readonly (readonly [count: number, kind: Kind, quiet?: true])[],
  options: { readonly verbose?: boolean; readonly fixCommand?: string } = { fixCommand: 'lint --fix' },
): readonly string[] {
  const diagnostics = kinds.flatMap(([count, kind, quiet]) =>
    Array.from(
      { length: count },
      (): Diagnostic => ({ ...kind, quiet, message: 'wrong', span: { start: 0, end: 1 } }),
    ),
  );
  const files = [{ source: new SourceText('a.dot', 'x'), diagnostics }];
  const { verbose = false } = options;
  const findings = renderPretty(files, { color: false, verbose });
  return findingsText(files, { color: false, ...options })
    .slice(findings.length)
    .trimEnd()
    .split('\n');
}

describe('a report ends with', () => {
  test.each<[what: string, lines: readonly string[], expected: readonly string[]]>([
    ['its number', lastLines([[2, loop]]), ['⚠ 2 warnings']],
    [
      'what --fix fixes',
      lastLines([
        [2, comma],
        [1, guess],
      ]),
      ['✖ 3 errors', '  `lint --fix` fixes 2 of 3'],
    ],
    ['the only fix', lastLines([[1, comma]]), ['✖ 1 error', '  `lint --fix` fixes it']],
    ['all of several', lastLines([[3, comma]]), ['✖ 3 errors', '  `lint --fix` fixes all']],
    ['no fix after --fix', lastLines([[3, comma]], {}), ['✖ 3 errors']],
    [
      'the rules, where some are listed by their lines',
      lastLines([
        [4, loop],
        [12, comma],
        [1, guess],
      ]),
      [
        '  12  syntax/missing_comma  (--fix)',
        '   4  loop',
        '   1  syntax/other',
        '',
        '✖ 13 errors, 4 warnings',
        '  `lint --fix` fixes 12 of 17',
        '  `attractor lint --verbose` shows the other 12 in full',
      ],
    ],
    [
      'nothing more, where everything is shown',
      lastLines(
        [
          [4, loop],
          [12, comma],
        ],
        { verbose: true },
      ),
      ['✖ 12 errors, 4 warnings'],
    ],
    ['no quiet notes', lastLines([[1, { rule: 'hint', severity: 'info' }, true]]), ['✔ no problems']],
    [
      'quiet notes, where everything is shown',
      lastLines([[1, { rule: 'hint', severity: 'info' }, true]], { verbose: true }),
      ['✔ 1 note'],
    ],
  ])('%s', (_, lines, expected) => {
    expect(lines).toEqual(expected);
  });
});
