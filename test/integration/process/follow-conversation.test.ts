import { expect, test } from 'vitest';
import { heldModels } from '../../support/held-models.js';
import { calls, says } from '../../support/mock-models.js';
import { attractor, directoryWith, type Running, startAttractor } from './attractor.js';

const pipeline = `digraph work {
  start [shape=Mdiamond]
  done [shape=Msquare]
  plan [prompt="Plan the work."]
  start -> plan -> done
}
`;

/** A run whose model waits for the test, and somebody who follows its conversation. */
async function followed(...options: readonly string[]) {
  const { mock, asked, release } = await heldModels([
    calls(['list_files', {}]),
    calls(['read_file', { path: 'work.dot' }]),
    says('**Ready** to go.'),
  ]);
  const cwd = directoryWith({ 'work.dot': pipeline });
  const call = { cwd, env: mock.variables };
  const run = startAttractor(['run', 'work.dot', '--run-dir', 'r', '--model', 'claude-sonnet-4-5'], call);
  await run.until('the model is asked', () => asked() === 1);
  const logs = startAttractor(['logs', 'r', 'plan', '--conversation', '--follow', ...options], call);
  const shows = (words: string, running: Running = logs): Promise<void> =>
    running.until(`"${words}"`, () => running.output().includes(words));
  return { run, logs, release, shows, call };
}

test('123: a conversation is printed while it is held, and ends with its run', async () => {
  const { run, logs, release, shows } = await followed();
  await shows('Plan the work.');
  expect(logs.output()).not.toContain('turn 1');
  release();
  await shows('→ list_files ok');
  await shows('r/plan/prompt.md');
  expect(logs.output()).not.toContain('turn 2');
  release();
  await shows('turn 2');
  await shows('→ read_file work.dot ok');
  release();
  const { status, stdout, stderr } = await logs.finished;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('Ready to go.');
  expect(stdout.match(/^turn \d/gm)).toEqual(['turn 1', 'turn 2', 'turn 3']);
  expect((await run.finished).status).toBe(0);
});

test('123: a conversation that is followed says that its run is paused, and continues with it', async () => {
  const { run, logs, release, shows, call } = await followed();
  release();
  await shows('→ list_files');
  expect((await attractor(['pause', 'r', '--now'], call)).status).toBe(0);
  expect((await run.finished).status).toBe(3);
  await shows('attractor: the run is paused; waiting until it is resumed (Ctrl-C to stop)');
  const resumed = startAttractor(['resume', 'r'], call);
  // The request that the pause has ended took an answer too.
  for (let time = 0; time < 3; time += 1) release();
  const { status, stdout } = await logs.finished;
  expect(status).toBe(0);
  expect(stdout).toContain('attempt 1');
  expect(stdout).toContain('Ready to go.');
  expect((await resumed.finished).status).toBe(0);
  const printed = await attractor(['logs', 'r', 'plan', '--conversation'], call);
  expect(stdout).toBe(printed.stdout);
});

test('123: lines of a conversation are followed as JSON, and Ctrl-C ends it', async () => {
  const { run, logs, release, shows } = await followed('--json');
  await shows('"kind":"user"');
  release();
  await shows('"kind":"tool_result"');
  logs.kill('SIGINT');
  expect((await logs.finished).status).toBe(130);
  for (let time = 0; time < 2; time += 1) release();
  expect((await run.finished).status).toBe(0);
});
