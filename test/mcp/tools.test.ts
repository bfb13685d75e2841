import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tools } from '../../src/mcp/tools/index.js';
import { UsageError } from '../../src/setup/usage-error.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { toolBench } from './bench.js';
import { gate, good } from './pipelines.js';

const misspelt = good.replace('prompt=', 'promt=');
const withoutComma = good.replace('[prompt="Do it"]', '[prompt="Do it" max_visits=3]');

describe('check', () => {
  it('finds nothing in a good pipeline', async () => {
    const { text, data } = await toolBench().call('check', { text: good });
    expect(text).toBe('pipeline.dot: no findings');
    expect(data).toMatchObject({ errors: 0, warnings: 0, hints: 0, findings: [], properties: [] });
  });

  it('gives the place of each finding, and its remedy', async () => {
    const { text, data } = await toolBench().call('check', { text: withoutComma });
    expect(text).toContain('1. 4:26 error syntax/missing_comma:');
    expect(text).toContain('   fix applies: insert a comma');
    expect(data).toMatchObject({
      errors: 1,
      findings: [
        {
          number: 1,
          rule: 'syntax/missing_comma',
          line: 4,
          column: 26,
          remedy: { kind: 'safe', edits: [{ line: 4, column: 26, end_line: 4, end_column: 26, text: ',' }] },
        },
      ],
    });
  });

  it('counts the findings that do not fit', async () => {
    const nodes = Array.from({ length: 60 }, (_, index) => `n${index} [prompt="x"]`).join('\n');
    const { text, data } = await toolBench().call('check', {
      text: good.replace('start ->', `${nodes}\nstart ->`),
    });
    expect(text).toMatch(/\nand \d+ more$/);
    expect(data?.findings).toHaveLength(25);
  });
});

describe('fix', () => {
  it('answers the fixed text', async () => {
    const { data } = await toolBench().call('fix', { text: withoutComma });
    expect(data).toMatchObject({ changed: true, errors: 0, text: withoutComma.replace('" max', '", max') });
  });

  it('changes a file in place, and keeps its byte order mark', async () => {
    const bench = toolBench({ 'a.dot': `\uFEFF${withoutComma}` });
    expect((await bench.call('fix', { file: 'a.dot' })).text).toContain(
      'fixed 1 problem in a.dot, and wrote it',
    );
    const fixed = withoutComma.replace('" max', '", max');
    expect(readFileSync(path.join(bench.directory, 'a.dot'), 'utf8')).toBe(`\uFEFF${fixed}`);
  });

  it.each([
    [[9], /there is no finding 9: pipeline\.dot has 1/],
    [[1], /finding 1 \(attribute_known\) has no fix to apply; to do: write `prompt`/],
  ])('refuses findings %j', async (findings, message) => {
    await expect(toolBench().call('fix', { text: misspelt, findings })).rejects.toThrow(message);
  });
});

describe('format', () => {
  it('formats a text', async () => {
    const { text } = await toolBench().call('format', { text: good.replaceAll('    ', ' ') });
    expect(text).toContain('    start -> work -> done');
  });

  it('leaves a text alone that cannot be read', async () => {
    const { failed, text } = await toolBench().call('format', { text: `${good}}` });
    expect([failed, text]).toEqual([
      true,
      expect.stringContaining('has syntax errors, so it was not formatted'),
    ]);
  });
});

describe('simulate', () => {
  it.each([
    [{ answers: { ask: ['No'] } }, 'success', ['start', 'ask', 'done']],
    [{ answers: { ask: ['Yes'] } }, 'success', ['start', 'ask', 'publish', 'done']],
    [
      { answers: { ask: ['Yes'] }, nodes: { publish: [{ outcome: 'fail' }] } },
      'fail',
      ['start', 'ask', 'publish'],
    ],
  ])('follows a script, case %#', async (script, status, taken) => {
    const { data } = await toolBench().call('simulate', { text: gate, script });
    expect(data).toMatchObject({ status, path: taken });
  });

  it('ends a run that would go on for ever', async () => {
    const text = good.replace('work -> done', 'work -> work [condition="outcome=success"]\n    work -> done');
    const { data } = await toolBench().call('simulate', { text, max_steps: 40 });
    expect(data).toMatchObject({ status: 'fail', visits: { work: 40 } });
  });

  it('says why a pipeline cannot run', async () => {
    const { failed, text } = await toolBench().call('simulate', { text: 'digraph G { a -> b }' });
    expect([failed, text]).toEqual([true, expect.stringMatching(/^pipeline\.dot cannot run: \d errors?/)]);
  });
});

describe('a call that cannot be carried out', () => {
  const outside = /is outside the working directory, which tools do not leave/;
  it.each<readonly [string, object, RegExp]>([
    ['check', {}, /^give the pipeline either as `file` or as `text`$/],
    ['check', { file: 'a.dot', text: good }, /either as `file` or as `text`/],
    ['check', { file: '../a.dot' }, outside],
    ['check', { file: '/etc/passwd' }, outside],
    ['check', { file: 'missing.dot' }, /^cannot read missing\.dot: /],
    ['check', { file: 3 }, /^check: file: expected a string, found 3$/],
    ['check', { flie: 'a.dot' }, /^check: there is no key "flie" here$/],
    ['check', { text: 'x'.repeat(500_001) }, /^check: text: expected at most 500000 characters$/],
    ['draw', { text: good, output: '../out.dot', format: 'dot' }, outside],
    ['explain', { name: 'reachabilty' }, /did you mean "reachability"/i],
    ['explain', { text: good, finding: 1 }, /^there is no finding 1: pipeline\.dot has 0$/],
    ['simulate', { text: good, script: { nodes: { wrok: [{}] } } }, /wrok/],
    ['simulate', { text: good, max_steps: 0 }, /^simulate: max_steps: expected at least 1, found 0$/],
    ['test', { text: good }, /either `file`, or a pipeline in `text` with its cases in `tests`/],
    ['test', { file: '../..' }, outside],
  ])('%s, case %#', async (name, args, message) => {
    const thrown = await toolBench()
      .call(name, { ...args })
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Error);
    expect((thrown as Error).message).toMatch(message);
  });

  it('leaves the directory by no link', async () => {
    const bench = toolBench();
    const elsewhere = path.join(temporaryDirectory(), 'secret.dot');
    writeFileSync(elsewhere, good);
    symlinkSync(elsewhere, path.join(bench.directory, 'link.dot'));
    await expect(bench.call('check', { file: 'link.dot' })).rejects.toThrow(UsageError);
  });
});

it('every tool says what it does in one paragraph', () => {
  for (const { name, description, title } of tools) {
    expect(`${name}: ${title}`).toMatch(/^[a-z]+: [A-Z][a-z]/);
    expect(description).toMatch(/^[A-Z][^\n]{30,}\.$/);
  }
});
