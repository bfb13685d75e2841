import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { toolBench } from '../../mcp/bench.js';
import { gate, good } from '../../mcp/pipelines.js';

const broken = gate.replace('ask -> done ', 'ask -> publish [label="[L] Later"]\n    ask -> done ');

describe('check', () => {
  it.each([
    ['holds', gate, 'property asked (publish only after ask = yes) holds'],
    ['is broken', broken, 'property asked (publish only after ask = yes) is broken: '],
  ])('says that a property %s', async (_, text, expected) => {
    expect((await toolBench().call('check', { text })).text).toContain(expected);
  });

  it('reads a file and the properties next to it', async () => {
    const bench = toolBench({
      'flows/good.dot': good,
      'flows/good.check': 'done_last: done only after work\n',
    });
    const { text } = await bench.call('check', { file: 'flows/good.dot' });
    expect(text).toMatch(/^flows\/good\.dot: no findings\nproperty done_last .* holds$/);
  });
});

describe('explain', () => {
  it.each([
    [{ name: 'reachability' }, /^reachability · rule, error/],
    [{ name: 'ask', text: gate }, /publish/],
    [{ text: gate }, /Gate/],
  ])('explains a name, case %#', async (args, expected) => {
    expect((await toolBench().call('explain', args)).text).toMatch(expected);
  });

  it('plays the run that shows a finding', async () => {
    const loop = good.replace(
      'start -> work -> done',
      'start -> work\nwork -> work [condition="outcome=fail"]\nwork -> done [condition="outcome=success"]',
    );
    const bench = toolBench();
    const { text: checked } = await bench.call('check', { text: loop });
    const [, finding] = /a run shows this: explain with finding=(\d+)/.exec(checked) ?? [];
    const { text, data } = await bench.call('explain', { text: loop, finding: Number(finding) });
    expect(text).toContain('A run that shows it: ');
    const { data: again } = await bench.call('simulate', { text: loop, script: data?.script });
    expect(again).toMatchObject({ path: Reflect.get(Object(data?.run), 'path') });
  });
});

describe('test', () => {
  const tests = (choice: string) =>
    `cases:\n  - name: refused\n    script: { answers: { ask: "${choice}" } }\n    expect: { path: [start, ask, done] }\n`;

  it.each([
    ['No', 0, /^1 passed, 0 failed$/],
    ['Yes', 1, /^0 passed, 1 failed\nFAILED refused \(pipeline\.test\.yaml\)\n {2}line \d+: /],
  ])('plays cases given as texts, with %s', async (choice, failed, expected) => {
    const answer = await toolBench().call('test', { text: gate, tests: tests(choice) });
    expect(answer.text).toMatch(expected);
    expect(answer.data).toMatchObject({ passed: 1 - failed, failed });
  });

  it('plays the tests of a file', async () => {
    const bench = toolBench({ 'gate.dot': gate, 'gate.test.yaml': tests('No') });
    expect((await bench.call('test', { file: 'gate.dot' })).text).toBe('1 passed, 0 failed');
  });
});

describe('estimate', () => {
  it.each([
    [{}, 'one run', { input_tokens: expect.any(Number) }],
    [{ bound: true }, 'at most', { stages: expect.objectContaining({ at_most: 2 }) }],
  ])('answers %j as text and data', async (more, text, data) => {
    const answer = await toolBench().call('estimate', { text: gate, ...more });
    expect(answer.text).toContain(text);
    expect(answer.data).toMatchObject(data);
  });
});

describe('draw', () => {
  it.each([
    ['mermaid', /flowchart TB/],
    ['dot', /digraph/],
  ])('draws %s as text', async (format, expected) => {
    expect((await toolBench().call('draw', { text: good, format })).text).toMatch(expected);
  });

  it('writes a file', async () => {
    const bench = toolBench({ 'good.dot': good });
    await bench.call('draw', { file: 'good.dot', format: 'dot', output: 'good.gv' });
    expect(existsSync(path.join(bench.directory, 'good.gv'))).toBe(true);
  });
});
