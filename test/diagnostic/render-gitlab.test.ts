import { expect, it } from 'vitest';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { renderGitlab } from '../../src/diagnostic/render-gitlab.js';
import { SourceText } from '../../src/diagnostic/source.js';

const found: Diagnostic = {
  rule: 'some_rule',
  severity: 'error',
  message: 'wrong',
  span: { start: 14, end: 20 },
};

function issues(text: string, diagnostics: readonly Diagnostic[]) {
  const source = new SourceText('a "b".dot', text);
  const pathOf = (name: string) => `flows/${name}`;
  return JSON.parse(
    renderGitlab([{ source, diagnostics }], { pathOf, digest: (identity) => `<${identity}>` }),
  );
}

const text = 'digraph D {\n  a -> b\n  b -> c\n}\n';

it('says what, how bad, and where', () => {
  expect(issues(text, [{ ...found, fix: { title: 'write `b`', edits: [] } }])).toEqual([
    {
      description: 'wrong (help: write `b`)',
      check_name: 'some_rule',
      fingerprint: '<["flows/a \\"b\\".dot","some_rule","wrong"]0>',
      severity: 'major',
      location: { path: 'flows/a "b".dot', lines: { begin: 2, end: 2 } },
    },
  ]);
  const severities = (['warning', 'info'] as const).map(
    (severity) => issues(text, [{ ...found, severity }])[0],
  );
  expect(severities.map(({ severity }) => severity)).toEqual(['minor', 'info']);
});

it('knows a finding again when lines move, and tells equal ones apart', () => {
  const fingerprints = (of: string, move: number) =>
    issues(
      of,
      [found, found].map((one) => ({ ...one, span: { start: 14 + move, end: 20 + move } })),
    ).map(({ fingerprint }: { fingerprint: string }) => fingerprint);
  expect(fingerprints(`\n${text}`, 1)).toEqual(fingerprints(text, 0));
  expect(new Set(fingerprints(text, 0)).size).toBe(2);
});

it('is an empty list where nothing was found', () => {
  expect(issues(text, [])).toEqual([]);
});
