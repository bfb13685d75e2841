import { expect, it } from 'vitest';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { renderJson } from '../../src/diagnostic/render-json.js';
import { SourceText } from '../../src/diagnostic/source.js';

const one = new SourceText('one.dot', 'digraph D {\n  a -> b\n  b -> c\n}\n');
const two = new SourceText('dir/two.dot', 'digraph\n');

const full: Diagnostic = {
  rule: 'edge_target_exists',
  code: 'some_code',
  severity: 'warning',
  message: 'a message with "quotes"',
  span: { start: 14, end: 20 },
  nodeId: 'a',
  edge: ['a', 'b'],
  related: [{ span: { start: 23, end: 24 }, message: 'here' }],
  fix: {
    title: 'write it differently',
    edits: [
      { span: { start: 19, end: 24 }, text: 'c\n  d' },
      { span: { start: 14, end: 14 }, text: '' },
    ],
  },
};
const bare: Diagnostic = { rule: 'syntax', severity: 'error', message: 'm', span: { start: 0, end: 7 } };
const info: Diagnostic = { ...bare, rule: 'r', severity: 'info', fix: { title: 't', edits: [] } };

it('has the keys of the format, and leaves out those without a value', async () => {
  const json = renderJson([
    { source: one, diagnostics: [full] },
    { source: two, diagnostics: [bare, info] },
  ]);
  expect(JSON.parse(json).summary).toEqual({ errors: 1, warnings: 1, infos: 1 });
  await expect(json).toMatchFileSnapshot('json/report.txt');
});

it('is a whole report without any diagnostics', () => {
  expect(JSON.parse(renderJson([{ source: one, diagnostics: [] }]))).toEqual({
    diagnostics: [],
    summary: { errors: 0, warnings: 0, infos: 0 },
  });
});
