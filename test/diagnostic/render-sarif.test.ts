import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import type { FileDiagnostics } from '../../src/diagnostic/file-diagnostics.js';
import { renderSarif, type SarifOptions } from '../../src/diagnostic/render-sarif.js';
import type { SarifLog } from '../../src/diagnostic/sarif.js';
import { SourceText } from '../../src/diagnostic/source.js';
import { ruleCatalog } from '../../src/lint/rule-catalog.js';
import { fixturesIn } from '../support/fixtures.js';
import { sarifValidator } from './sarif-schema.js';

const validate = sarifValidator();
const options: SarifOptions = { version: '1.2.3', root: 'file:///home/you/project/', rules: ruleCatalog() };

/** The log, once it was found to be one. */
function sarif(files: readonly FileDiagnostics[], extra: Partial<SarifOptions> = {}): SarifLog {
  const text = renderSarif(files, { ...options, ...extra });
  const log = JSON.parse(text) as SarifLog;
  validate(log);
  expect(validate.errors ?? []).toEqual([]);
  return log;
}

const source = new SourceText('one.dot', 'digraph D {\n  a -> "😀"\n  b -> c\n}\n');
const full: Diagnostic = {
  rule: 'edge_target_exists',
  code: 'some_code',
  severity: 'warning',
  message: 'a message',
  span: { start: 19, end: 23 },
  edge: ['a', 'b'],
  related: [{ span: { start: 26, end: 27 }, message: 'here' }],
  fix: { title: 'write it differently', edits: [{ span: { start: 19, end: 23 }, text: 'c\n  d' }] },
};
const bare: Diagnostic = { rule: 'house_rule', severity: 'info', message: 'm', span: { start: 0, end: 7 } };

describe('a SARIF log', () => {
  it('has everything that a finding has', async () => {
    const log = sarif([
      { source, diagnostics: [full, { ...bare, nodeId: 'a', fix: { title: 't', edits: [] } }] },
    ]);
    await expect(`${JSON.stringify(log, undefined, 2)}\n`).toMatchFileSnapshot('sarif/report.txt');
  });

  it('is whole without findings, and without files', () => {
    expect(sarif([{ source, diagnostics: [] }]).runs[0]?.results).toEqual([]);
    expect(sarif([]).runs[0]?.artifacts).toEqual([]);
  });

  it('says of no rule more than it knows', () => {
    const [run] = sarif([{ source, diagnostics: [bare] }]).runs;
    expect(run?.tool.driver.rules).toEqual([{ id: 'house_rule', shortDescription: { text: 'house_rule' } }]);
    expect(run?.results[0]?.ruleIndex).toBe(0);
  });

  it.each<[name: string, location: object]>([
    ['flows/a.dot', { uri: 'flows/a.dot', uriBaseId: 'ROOT' }],
    ['./flows/a.dot', { uri: 'flows/a.dot', uriBaseId: 'ROOT' }],
    ['with blank/ü%.dot', { uri: 'with%20blank/%C3%BC%25.dot', uriBaseId: 'ROOT' }],
    ['a:b.dot', { uri: 'a%3Ab.dot', uriBaseId: 'ROOT' }],
    ['../other/a.dot', { uri: 'file:///home/you/other/a.dot' }],
    ['/tmp/a b.dot', { uri: 'file:///tmp/a%20b.dot' }],
    ['C:\\flows\\a b.dot', { uri: 'file:///C:/flows/a%20b.dot' }],
    ['<stdin>', { uri: '%3Cstdin%3E', uriBaseId: 'ROOT' }],
    ['odd\ud800.dot', { uri: 'odd%EF%BF%BD.dot', uriBaseId: 'ROOT' }],
  ])('has %s as a URI', (name, location) => {
    const [run] = sarif([{ source: new SourceText(name, 'digraph'), diagnostics: [bare] }]).runs;
    expect(run?.artifacts[0]).toEqual({
      location,
      roles: ['analysisTarget'],
      mimeType: 'text/vnd.graphviz',
    });
    expect(run?.results[0]?.locations[0]?.physicalLocation.artifactLocation).toEqual({
      ...location,
      index: 0,
    });
  });

  it('is valid whatever was found', () => {
    const files = [...fixturesIn('lint'), ...fixturesIn('syntax')].map(({ name, text }) =>
      compile(text, { name }),
    );
    const [run] = sarif(files).runs;
    const rules = run?.tool.driver.rules ?? [];
    expect(run?.results.length).toBe(files.flatMap(({ diagnostics }) => diagnostics).length);
    for (const { ruleId, ruleIndex } of run?.results ?? []) {
      expect(ruleId.split('/')[0]).toBe(rules[ruleIndex]?.id);
    }
    // SARIF2004: nothing is said twice that could be said once.
    expect(run?.artifacts.filter((artifact) => Object.keys(artifact).length === 1)).toEqual([]);
    expect(rules.filter((rule) => Object.keys(rule).length === 1)).toEqual([]);
    expect(rules.filter(({ shortDescription }) => shortDescription === undefined)).toEqual([]);
  });

  it('would be refused with something missing', () => {
    const { runs, ...rest } = sarif([{ source, diagnostics: [full] }]);
    expect(validate({ ...rest, runs: runs.map(({ tool: _, ...run }) => run) })).toBe(false);
    expect(validate({ ...rest, runs: runs.map((run) => ({ ...run, columnKind: 'bytes' })) })).toBe(false);
  });
});
