import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

const old = `digraph release {
  graph [on_failure=stop, budget_usd=5]
  start [shape=Mdiamond]; done [shape=Msquare]
  implement [prompt="Make this change", max_visits=5, llm_provider=simulated]
  test [shape=parallelogram, tool_command="./test.sh"]
  approve [shape=hexagon, label="Publish it?"]
  publish [shape=parallelogram, tool_command="./publish.sh"]
  start -> implement -> test
  test -> approve [condition="outcome=success"]
  test -> implement [condition="outcome=fail"]
  approve -> publish [label="[Y] Yes"]; approve -> implement [label="[N] No"]
  publish -> done
}`;
const now = old
  .replace('Make this change', 'Make this small change')
  .replace('test -> implement [', 'test -> publish [')
  .replace('budget_usd=5', 'budget_usd=9');

async function diff(...more: readonly string[]) {
  const cwd = directoryWith({ 'old.dot': old, 'new.dot': now, 'bad.dot': 'digraph {' });
  return { cwd, ...(await attractor(['diff', 'old.dot', 'new.dot', ...more], { cwd })) };
}

describe('attractor diff', () => {
  test('146: shows changes, words, what runs can do now, and the bound', async () => {
    const { stdout, status, stderr } = await diff();
    expect([status, stderr]).toEqual([0, '']);
    for (const line of [
      '  ~ budget_usd: 5 → 9',
      '      prompt: Make this {+small +}change',
      '  ~ test -> publish if outcome=fail',
      '      target: implement → publish',
      '  + "publish" can start before approve has run',
      '  + a run can complete without approve',
    ])
      expect(stdout.split('\n')).toContain(line);
  });

  test('146: a script plays the behaviour that appeared, and the picture has both versions', async () => {
    const { cwd, stdout } = await diff('--output-dir', 'out', '--svg', 'd.svg');
    expect(stdout).toContain('play: attractor run new.dot --simulate --script out/behaviour-1.script.json');
    const argv = ['run', 'new.dot', '--simulate', '--json', '--script', 'out/behaviour-1.script.json'];
    const { path: visits } = JSON.parse((await attractor(argv, { cwd })).stdout);
    expect(visits).toContain('publish');
    expect(visits.slice(0, visits.indexOf('publish'))).not.toContain('approve');
    const svg = readFileSync(path.join(cwd, 'd.svg'), 'utf8');
    expect(svg).toMatch(/id="node-implement" class="node[^"]* changed"/);
    expect(svg).toContain('changed: led');
  });

  test('146: the script gives the inputs that a run requires', async () => {
    const asked = (text: string): string => text.replace('graph [', 'graph [inputs="version: string", ');
    const cwd = directoryWith({ 'old.dot': asked(old), 'new.dot': asked(now) });
    await attractor(['diff', 'old.dot', 'new.dot', '--output-dir', 'out'], { cwd });
    const argv = ['run', 'new.dot', '--simulate', '--json', '--script', 'out/behaviour-1.script.json'];
    const { path: visits } = JSON.parse((await attractor(argv, { cwd })).stdout);
    expect(visits).toContain('publish');
  });

  test('146: JSON and Markdown say the same', async () => {
    const { is_same, behaviour, bounds } = JSON.parse((await diff('--json')).stdout);
    expect(is_same).toBe(false);
    expect(
      behaviour.appeared.map(({ kind, node_id, without }: Record<string, unknown>) => [
        kind,
        node_id,
        without,
      ]),
    ).toEqual([
      ['before', 'publish', ['approve']],
      ['completes', undefined, ['approve']],
    ]);
    expect([bounds.before.cost_usd.at_most, bounds.after.stages.at_most]).toEqual([0, expect.any(Number)]);
    const { stdout } = await diff('--markdown');
    expect(stdout).toContain('  - prompt: Make this **small** change');
    expect(stdout).toContain('<details><summary>script of a run</summary>');
  });

  test('146: exits with 1 only for a difference, and with 2 for what is no pipeline', async () => {
    const { cwd, status } = await diff('--exit-code');
    expect(status).toBe(1);
    const same = await attractor(['diff', 'old.dot', 'old.dot', '--exit-code'], { cwd });
    expect([same.status, same.stdout]).toEqual([0, 'no difference in meaning\n']);
    expect((await attractor(['diff', 'old.dot', 'bad.dot'], { cwd })).status).toBe(2);
    const missing = await attractor(['diff', 'nope.dot', 'old.dot'], { cwd });
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('cannot read nope.dot')]);
  });
});
