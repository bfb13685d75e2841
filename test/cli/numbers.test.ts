import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

// What several commands say of one run is the same.

const gated = `digraph gated {
  start [shape=Mdiamond]
  end [shape=Msquare]
  node [shape=parallelogram, tool_command="true"]
  a
  gate [shape=hexagon, label="Is it good?\\nReally?"]
  b
  start -> a -> gate -> b -> end
}`;

const json = async (argv: readonly string[], cwd: string) =>
  JSON.parse((await attractor(argv, { cwd })).stdout);

test('a run has as many stages and the same quality for whoever asks, also while it is paused', async () => {
  const cwd = directoryWith({ 'p.dot': gated });
  const directory = '.attractor/runs/r';
  const paused = await json(['run', 'p.dot', '--run-dir', directory, '--json'], cwd);
  expect(paused).toMatchObject({ status: 'paused', quality: 'clean', steps: 1 });
  expect(await json(['status', directory, '--json'], cwd)).toMatchObject({
    quality: 'clean',
    stages_done: 1,
  });
  expect(await json(['runs', '--json'], cwd)).toMatchObject({ runs: [{ steps: 1 }] });
  const ended = await json(['resume', directory, '--answer', 'gate=b', '--json'], cwd);
  expect(ended).toMatchObject({ status: 'success', quality: 'clean', steps: 3 });
  expect(await json(['status', directory, '--json'], cwd)).toMatchObject({
    quality: 'clean',
    stages_done: 3,
  });
  expect(await json(['runs', '--json'], cwd)).toMatchObject({ runs: [{ steps: 3 }] });
});

test('a fork takes the time since it began, and says that it is one', async () => {
  const cwd = directoryWith({
    'p.dot': gated.replace('gate [shape=hexagon, label="Is it good?\\nReally?"]', 'gate'),
  });
  await attractor(['run', 'p.dot', '--run-dir', 'r'], { cwd });
  const forked = await attractor(['fork', 'r', '--at', 'b', '--run-dir', 'f'], { cwd });
  expect(forked.status).toBe(0);
  expect(forked.stdout).toContain('(a fork)');
  expect(forked.stdout).not.toContain('its status was');
  const events = readFileSync(path.join(cwd, 'f', 'events.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const began = events.find(({ type }) => type === 'PipelineResumed');
  expect(began).toMatchObject({ from: 'forked', description: 'Pipeline forked' });
  const status = await json(['status', 'f', '--json'], cwd);
  expect(status).toMatchObject({ start_time: began.timestamp, stages_done: 3 });
  const result = JSON.parse(readFileSync(path.join(cwd, 'f', 'result.json'), 'utf8'));
  const took = Date.parse(events.at(-1).timestamp) - Date.parse(began.timestamp);
  expect(result.duration_ms).toBe(took);
  expect(events.at(-1).duration).toBe(took);
});

test('resume says whether the run had failed or was interrupted', async () => {
  const cwd = directoryWith({
    'p.dot':
      'digraph p { start [shape=Mdiamond]; done [shape=Msquare]; t [shape=parallelogram, tool_command="exit 1"]; start -> t -> done }',
  });
  await attractor(['run', 'p.dot', '--run-dir', 'r'], { cwd });
  const again = await attractor(['resume', 'r'], { cwd });
  expect(again.stdout).toContain('(its status was failed)');
  const journal = path.join(cwd, 'r', 'events.jsonl');
  const lines = readFileSync(journal, 'utf8').split('\n');
  const started = lines.findIndex((line) => line.includes('"type":"StageStarted"') && line.includes('"t"'));
  writeFileSync(journal, `${lines.slice(0, started + 1).join('\n')}\n`);
  const resumed = await attractor(['resume', 'r'], { cwd });
  expect(resumed.stdout).toContain('(its status was interrupted)');
});

test('a question of several lines is shown whole', async () => {
  const cwd = directoryWith({ 'p.dot': gated });
  await attractor(['run', 'p.dot', '--run-dir', 'r'], { cwd });
  expect((await attractor(['status', 'r'], { cwd })).stdout).toContain('gate: Is it good? Really?');
});

test.each([
  [{ nodes: { a: { delay: 0.5 } } }, undefined],
  [
    { nodes: { a: { delay: 'soon' } } },
    'nodes.a, entry 1, delay: expected a duration such as 50ms, 2s or 0.5, which is seconds',
  ],
  [
    { nodes: { a: [{ outcome: 'success' }, { outcome: 'good' }] } },
    'nodes.a, entry 2, outcome: expected one of success',
  ],
  [{ nodes: { a: { delay: -1 } } }, 'nodes.a, entry 1, delay: expected a duration'],
])('a script %j', async (script, problem) => {
  const cwd = directoryWith({ 'p.dot': gated, 's.json': JSON.stringify(script) });
  const { stderr, stdout } = await attractor(
    ['run', 'p.dot', '--simulate', '--script', 's.json', '--run-dir', 'r'],
    { cwd },
  );
  if (problem === undefined) expect(stdout).toContain('500ms');
  else expect(stderr).toContain(`the script s.json cannot be used: ${problem}`);
});

test('one kind of output at a time', async () => {
  const cwd = directoryWith({ 'p.dot': gated });
  const { status, stderr } = await attractor(['run', 'p.dot', '--json', '--events'], { cwd });
  expect(status).toBe(2);
  expect(stderr).toMatch(/'--events'.*cannot be used with.*'--json'/);
});

test.each([
  ['manager.poll_interval', 'default  45s'],
  ['reads', 'A key that is also in `writes` is not cleared when the stage runs again.'],
])('explain %s says %s', async (name, words) => {
  expect((await attractor(['explain', name])).stdout.replaceAll(/\s+/g, ' ')).toContain(
    words.replaceAll(/\s+/g, ' '),
  );
});

test('what ran out of attempts says so once, whoever ran it', async () => {
  const child =
    'digraph child { start [shape=Mdiamond] end [shape=Msquare] t [shape=parallelogram, tool_command="exit 1", max_retries=1] start -> t -> end }';
  const parent =
    'digraph parent { start [shape=Mdiamond] end [shape=Msquare] c [type=pipeline, child="child.dot", max_retries=1] start -> c -> end }';
  const cwd = directoryWith({ 'child.dot': child, 'p.dot': parent });
  const { failure_reason } = await json(['run', 'p.dot', '--run-dir', 'r', '--json'], cwd);
  expect(failure_reason.match(/max retries exceeded/g)).toHaveLength(1);
});
