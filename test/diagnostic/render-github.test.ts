import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { renderGithub } from '../../src/diagnostic/render-github.js';
import { SourceText } from '../../src/diagnostic/source.js';

const source = new SourceText('flows/a,b:c.dot', 'digraph D {\n  a -> b\n  b -> c\n}\n');
const found: Diagnostic = {
  rule: 'some_rule',
  severity: 'error',
  message: 'something is wrong',
  span: { start: 14, end: 15 },
};

function rendered(extra: Partial<Diagnostic>, pathOf?: (name: string) => string): string {
  return renderGithub([{ source, diagnostics: [{ ...found, ...extra }] }], pathOf);
}

const file = 'file=flows/a%2Cb%3Ac.dot';
const place = `${file},line=2,endLine=2,col=3,endColumn=4`;

describe('a workflow command', () => {
  it.each<[what: string, extra: Partial<Diagnostic>, command: string]>([
    [
      'says where and what',
      {},
      `::error ${place},title=some_rule::flows/a,b:c.dot:2:3: something is wrong [some_rule]`,
    ],
    ['is a warning', { severity: 'warning' }, `::warning ${place},title=some_rule::`],
    ['is a notice', { severity: 'info' }, `::notice ${place},title=some_rule::`],
    ['names the code', { rule: 'syntax', code: 'port' }, `,title=syntax/port::`],
    [
      'has no columns over several lines',
      { span: { start: 12, end: 24 } },
      `${file},line=2,endLine=3,title=`,
    ],
    ['cannot be ended by a text', { message: '100%\r\n::error::x' }, ': 100%25␍␊::error::x [some_rule]'],
    ['says what to do', { fix: { title: 'write `b`', edits: [] } }, '[some_rule]%0Ahelp: write `b`'],
  ])('%s', (_, extra, command) => {
    const text = rendered(extra);
    expect(text).toContain(command);
    expect(text.match(/\n/g)).toHaveLength(1);
  });

  it('names the file as the repository does', () => {
    expect(rendered({}, (name) => `sub/${name}`)).toContain('file=sub/flows/a%2Cb%3Ac.dot,');
  });

  it('is missing where nothing was found', () => {
    expect(renderGithub([{ source, diagnostics: [] }])).toBe('');
  });
});
