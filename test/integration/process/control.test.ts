import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { attractor } from '../../cli/attractor.js';
import { linesOf } from '../../support/journal-of.js';
import { isGroupAlive, spawnersOf } from '../../support/processes.js';
import { waitFor } from '../../support/wait-for.js';
import { directoryWith, executable, type Running, startAttractor } from './attractor.js';

// A run whose process is stopped, dies, or is ended at once, seen from another process.

/** Notes that it was started, by which process, and waits until it may continue. */
const waits = 'echo $$ >> started; until test -f go; do sleep 0.02; done';

interface Steered {
  readonly cwd: string;
  readonly run: string;
  readonly running: Running;
  /** Lets the stage end that waits. */
  go(): void;
}

/** A run in a process of its own, with its first stage under way. */
async function steered(work = waits): Promise<Steered> {
  const cwd = directoryWith({
    'steered.dot': `digraph steered {
      start [shape=Mdiamond]
      done [shape=Msquare]
      work [shape=parallelogram, tool_command="${work}"]
      start -> work -> done
    }`,
  });
  const running = startAttractor(['run', 'steered.dot', '--run-dir', 'r'], { cwd });
  await running.until('the stage', () => timesStarted(cwd) === 1);
  return { cwd, run: path.join(cwd, 'r'), running, go: () => writeFileSync(path.join(cwd, 'go'), '') };
}

const timesStarted = (cwd: string) => linesOf(path.join(cwd, 'started')).length;
const requestsIn = (run: string) => readdirSync(run).filter((name) => name.startsWith('request'));

test('attractor pause tells when the process does not notice, and when it dies instead', async () => {
  const { cwd, run, running } = await steered();
  running.kill('SIGSTOP');
  const pausing = startAttractor(['pause', 'r'], { cwd });
  await pausing.until('the request', () => requestsIn(run).length === 1);
  await pausing.until('a word about it', () => pausing.output().includes('has not responded yet'));
  running.kill('SIGKILL');
  const { status, stderr } = await pausing.finished;
  expect(status).toBe(1);
  expect(stderr).toContain('it was interrupted: the process that executed it has died');
});

test('a request to a process that has died does not reach the next one', async () => {
  const { cwd, run, running, go } = await steered();
  running.kill('SIGSTOP');
  await attractor(['cancel', 'r', '--no-wait'], { cwd });
  await attractor(['pause', 'r', '--now', '--no-wait'], { cwd });
  expect(requestsIn(run)).toEqual(['request-cancel.json', 'request-pause.json']);
  const { stdout } = await attractor(['status', 'r', '--json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ status: 'running', requested: 'cancel' });
  running.kill('SIGKILL');
  await running.finished;
  const resumed = startAttractor(['resume', 'r'], { cwd });
  await resumed.until('the stage', () => timesStarted(cwd) === 2);
  await resumed.until('the requests to be thrown away', () => requestsIn(run).length === 0);
  go();
  expect(await resumed.finished).toMatchObject({ status: 0 });
});

test('a third Ctrl-C ends the process at once, and leaves no tool behind', async () => {
  const { cwd, running, go } = await steered(`trap '' TERM; ${waits}`);
  // It would end the tool a moment after the second one, and the run with it, however late the third one comes.
  const spawners = spawnersOf(running.pid);
  for (const pid of spawners) process.kill(pid, 'SIGSTOP');
  try {
    running.kill('SIGINT');
    await running.until('the hint', () => running.output().includes('Ctrl-C again cancels'));
    running.kill('SIGINT');
    await running.until('the next', () => running.output().includes('ends this process at once'));
    running.kill('SIGINT');
    expect(await running.finished).toMatchObject({ status: 130 });
  } finally {
    for (const pid of spawners) process.kill(pid, 'SIGCONT');
  }
  const group = Number(linesOf(path.join(cwd, 'started')).at(-1));
  await waitFor('the tool to end', () => !isGroupAlive(group));
  go();
  expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
  expect(timesStarted(cwd)).toBe(2);
});

const gate = `digraph release {
  start [shape=Mdiamond]
  done [shape=Msquare]
  gate [shape=hexagon, label="Ship it?"]
  start -> gate
  gate -> done [label="[A] Approve"]
  gate -> gate [label="[F] Fix"]
}`;

test('run --detach leaves a run that continues without its terminal, and takes answers', async () => {
  const cwd = directoryWith({ 'gate.dot': gate });
  const { status, stdout, stderr } = await startAttractor(['run', 'gate.dot', '--detach'], { cwd }).finished;
  expect(status).toBe(0);
  expect(stdout).toMatch(/^\d{8}-\d{6}-release-\w+\n$/);
  expect(stderr).toContain('The run continues in the background');
  const run = stdout.trim();
  const waiting = startAttractor(['wait', run], { cwd });
  await waiting.until('the question', () => waiting.output().includes(`attractor answer ${run}`));
  await attractor(['answer', run, 'A'], { cwd });
  expect(await waiting.finished).toMatchObject({ status: 0 });
});

test('run --detach in a stage outlives the stage', async () => {
  const inner = `digraph inner {
    start [shape=Mdiamond]
    done [shape=Msquare]
    work [shape=parallelogram, tool_command="${waits}"]
    start -> work -> done
  }`;
  const command = `node '${executable}' run inner.dot --run-dir inner --detach`;
  const outer = `digraph outer {
    start [shape=Mdiamond]
    done [shape=Msquare]
    work [shape=parallelogram, tool_command="${command}"]
    start -> work -> done
  }`;
  const cwd = directoryWith({ 'inner.dot': inner, 'outer.dot': outer });
  expect(await startAttractor(['run', 'outer.dot'], { cwd }).finished).toMatchObject({ status: 0 });
  await waitFor('the stage of the inner run', () => timesStarted(cwd) === 1);
  writeFileSync(path.join(cwd, 'go'), '');
  expect(await attractor(['wait', 'inner'], { cwd })).toMatchObject({ status: 0 });
});

test('run --detach of a pipeline that cannot run says so, and leaves nothing', async () => {
  const cwd = directoryWith({ 'broken.dot': 'digraph g { start -> }' });
  const call = startAttractor(['run', 'broken.dot', '--detach'], { cwd });
  const { status, stderr } = await call.finished;
  expect(status).toBe(1);
  expect(stderr).toContain('broken.dot:1');
  expect(readdirSync(cwd)).toEqual(['broken.dot']);
});

test('resume --detach prints JSON', async () => {
  const cwd = directoryWith({ 'gate.dot': gate });
  await attractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd });
  const { stdout } = await startAttractor(['resume', 'r', '--detach', '--json'], { cwd }).finished;
  expect(JSON.parse(stdout)).toMatchObject({ run_dir: path.join(cwd, 'r'), pid: expect.any(Number) });
  await attractor(['answer', 'r', 'A'], { cwd });
  expect(await attractor(['wait', 'r'], { cwd })).toMatchObject({ status: 0 });
});

test('resume --detach of a directory needs no database, even where one is named', async () => {
  const cwd = directoryWith({ 'gate.dot': gate });
  await attractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd });
  const env = { ATTRACTOR_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' };
  const { status } = await startAttractor(['resume', './r', '--detach'], { cwd, env }).finished;
  expect(status).toBe(0);
  await attractor(['answer', './r', 'A'], { cwd, env });
  expect(await attractor(['wait', './r'], { cwd, env })).toMatchObject({ status: 0 });
});

test('cancel --kill ends a process that does not respond, and its tools', async () => {
  const { cwd, running } = await steered();
  running.kill('SIGSTOP');
  const { status, stdout, stderr } = await attractor(['cancel', 'r', '--kill'], { cwd });
  expect(stderr).toContain('has not cancelled the run; it is killed');
  expect(stdout).toContain('The run is cancelled.');
  expect(status).toBe(0);
  expect(await running.finished).toMatchObject({ status: null });
  const group = Number(linesOf(path.join(cwd, 'started'))[0]);
  await waitFor('the tool to end', () => !isGroupAlive(group));
});

test('cancel --kill kills no process that executes other runs', async () => {
  const cwd = directoryWith({});
  const server = startAttractor(['serve', '--port', '0', '--token-file', 'token', '--no-config'], { cwd });
  const link = /^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+$/m;
  await server.until('the link', () => link.test(server.output()));
  const { origin, searchParams } = new URL(link.exec(server.output())?.[0] ?? '');
  const headers = {
    authorization: `Bearer ${searchParams.get('token')}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ dot: gate });
  const start = async (): Promise<string> => {
    const response = await fetch(`${origin}/pipelines`, { method: 'POST', headers, body });
    return ((await response.json()) as { id: string }).id;
  };
  const started = [await start(), await start()];
  const questions = (id: string) => path.join(cwd, '.attractor/runs', id, 'open-questions');
  await waitFor('the questions', () => started.every((id) => existsSync(questions(id))));
  server.kill('SIGSTOP');
  const { status, stderr } = await attractor(['cancel', started[0] ?? '', '--kill'], { cwd });
  server.kill('SIGCONT');
  expect(status).toBe(2);
  expect(stderr).toContain(`executes other runs too (${started[1]}); nothing was killed`);
  server.kill('SIGTERM');
  await server.finished;
});
