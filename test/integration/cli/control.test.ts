import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { linkOf } from '../../../src/run-directory/hashed-line.js';
import { attractor, type Running, startAttractor } from '../../cli/attractor.js';
import { directoryWith } from '../../support/directory-with.js';
import { journalOf, journalText, linesOf } from '../../support/journal-of.js';
import { isGroupAlive } from '../../support/processes.js';
import { waitFor } from '../../support/wait-for.js';

// A run steered from outside: by another call, and by Ctrl-C.

/** Notes that it was started, by which process, and waits until it may continue. */
const waits = 'echo $$ >> started; until test -f go; do sleep 0.02; done';

const pipelineOf = (work: string): string => `digraph steered {
  goal="be steered"
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [shape=parallelogram, tool_command="${work}"]
  last [shape=parallelogram, tool_command="echo last >> ended"]
  start -> work -> last -> done
}
`;

const gate = `digraph release {
  start [shape=Mdiamond]
  done [shape=Msquare]
  gate [shape=hexagon, label="Ship it?"]
  start -> gate
  gate -> done [label="[A] Approve"]
  gate -> gate [label="[F] Fix"]
}
`;

interface Steered {
  readonly cwd: string;
  readonly run: string;
  readonly running: Running;
  /** Lets the stage end that waits. */
  go(): void;
}

/** A run with its first stage under way. */
async function steered(work = waits): Promise<Steered> {
  const cwd = directoryWith({ 'steered.dot': pipelineOf(work) });
  const running = startAttractor(['run', 'steered.dot', '--run-dir', 'r'], { cwd });
  await running.until('the stage', () => linesOf(path.join(cwd, 'started')).length === 1);
  return { cwd, run: path.join(cwd, 'r'), running, go: () => writeFileSync(path.join(cwd, 'go'), '') };
}

/** What a run leaves whose process is killed while a stage is under way: its files as they are then, and a lock of nobody. */
async function cutOff(): Promise<Steered> {
  const run = await steered();
  const kept = `${run.run}-kept`;
  cpSync(run.run, kept, { recursive: true });
  await attractor(['cancel', 'r'], { cwd: run.cwd });
  await run.running.finished;
  rmSync(run.run, { recursive: true });
  renameSync(kept, run.run);
  writeFileSync(path.join(run.run, 'lock'), '{"pid":1073741824,"process_start":"x"}\n');
  return run;
}

const typesOf = (run: string) => journalOf(run).map(({ type }) => type);
const lastOf = (run: string) => typesOf(run).at(-1);
const statusOf = async ({ cwd }: Pick<Steered, 'cwd'>) => {
  const { status, stdout } = await attractor(['status', 'r', '--json'], { cwd });
  expect(status).toBe(0);
  return JSON.parse(stdout);
};
const requestsIn = (run: string) => readdirSync(run).filter((name) => name.startsWith('request'));
const timesStarted = (cwd: string) => linesOf(path.join(cwd, 'started')).length;

async function expectToolGone(cwd: string): Promise<void> {
  const group = Number(linesOf(path.join(cwd, 'started')).at(-1));
  await waitFor('the tool to end', () => !isGroupAlive(group));
}

/** Resumes a run that stopped, and sees it end. */
async function expectToGoOn({ cwd, go }: Steered, stagesStarted: number): Promise<void> {
  go();
  expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
  expect(timesStarted(cwd)).toBe(stagesStarted);
  expect(linesOf(path.join(cwd, 'ended'))).toEqual(['last']);
}

describe('attractor pause', () => {
  test('lets the running stage end, starts no other, and says how to continue', async () => {
    const run = await steered();
    const pausing = startAttractor(['pause', 'r'], { cwd: run.cwd });
    await run.running.until('the request', () => typesOf(run.run).includes('PipelinePausing'));
    // The run may have the request before the process that made it says so.
    await pausing.until('a word about it', () => pausing.output().endsWith('\n'));
    expect(pausing.output()).toMatch(
      new RegExp(`^Process ${process.pid} was asked to pause the run after these stages: work \\(`),
    );
    expect(await statusOf(run)).toMatchObject({ status: 'running', requested: 'pause' });
    run.go();
    expect(await pausing.finished).toMatchObject({
      status: 0,
      stdout: 'The run is paused. Resume with: attractor resume r\n',
    });
    expect(await run.running.finished).toMatchObject({ status: 3 });
    expect(lastOf(run.run)).toBe('PipelinePaused');
    expect(requestsIn(run.run)).toEqual([]);
    await expectToGoOn(run, 1);
  });

  test('--now stops the running stage, which runs again later', async () => {
    const run = await steered();
    const paused = await attractor(['pause', 'r', '--now'], { cwd: run.cwd });
    expect(paused).toMatchObject({ status: 0 });
    expect(await run.running.finished).toMatchObject({ status: 3 });
    await expectToolGone(run.cwd);
    await expectToGoOn(run, 2);
  });

  test('--now makes haste with a pause that was asked for before; --no-wait waits for neither', async () => {
    const run = await steered();
    expect(await attractor(['pause', 'r', '--no-wait'], { cwd: run.cwd })).toMatchObject({ status: 0 });
    await run.running.until('the request', () => typesOf(run.run).includes('PipelinePausing'));
    expect(await attractor(['pause', 'r', '--now', '--no-wait'], { cwd: run.cwd })).toMatchObject({
      status: 0,
      stdout: '',
    });
    expect(await run.running.finished).toMatchObject({ status: 3 });
    await expectToGoOn(run, 2);
  });

  test('finds nothing to do where nobody executes the run', async () => {
    const { cwd, go } = await cutOff();
    const refused = await attractor(['pause', 'r'], { cwd });
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('there is nothing to pause: the run was interrupted');
    go();
    await attractor(['resume', 'r'], { cwd });
    expect((await attractor(['pause', 'r'], { cwd })).stderr).toContain(
      'nothing to pause: the run has already finished (success)',
    );
  });
});

describe('attractor cancel', () => {
  test('stops the running stage and ends the run, which can be resumed all the same', async () => {
    const run = await steered();
    expect(await attractor(['cancel', 'r'], { cwd: run.cwd })).toMatchObject({
      status: 0,
      stdout: 'The run is cancelled. To resume it after all: attractor resume r\n',
    });
    expect(await run.running.finished).toMatchObject({ status: 4 });
    await expectToolGone(run.cwd);
    expect(lastOf(run.run)).toBe('PipelineCancelled');
    expect(JSON.parse(readFileSync(path.join(run.run, 'result.json'), 'utf8'))).toMatchObject({
      status: 'cancelled',
    });
    expect(await attractor(['cancel', 'r'], { cwd: run.cwd })).toMatchObject({
      status: 0,
      stdout: 'The run is already cancelled.\n',
    });
    await expectToGoOn(run, 2);
    const late = await attractor(['cancel', 'r'], { cwd: run.cwd });
    expect(late).toMatchObject({ status: 2 });
    expect(late.stderr).toContain('there is nothing to cancel: the run has already finished (success)');
  });

  test('cancels a run whose process has died', async () => {
    const run = await cutOff();
    expect(await attractor(['cancel', 'r'], { cwd: run.cwd })).toMatchObject({ status: 0 });
    expect(await statusOf(run)).toMatchObject({ status: 'cancelled', process: null });
    for (const view of ['result.json', 'checkpoint.json']) {
      expect(JSON.parse(readFileSync(path.join(run.run, view), 'utf8'))).toMatchObject({
        status: 'cancelled',
      });
    }
    expect(existsSync(path.join(run.run, 'lock'))).toBe(false);
    await expectToGoOn(run, 2);
  });

  test('cancels a run that waits for an answer; resuming asks again', async () => {
    const cwd = directoryWith({ 'gate.dot': gate });
    await attractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd });
    expect(await attractor(['cancel', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect(await statusOf({ cwd })).toMatchObject({ status: 'cancelled' });
    expect(await attractor(['resume', 'r', '--answer', 'gate=A'], { cwd })).toMatchObject({ status: 0 });
  });
});

test('a second resume of a run that is executed is refused, and names the process', async () => {
  const { cwd, run, running, go } = await steered();
  // The stage may be at work before the checkpoint that was saved for it is in the journal.
  const events = () => journalOf(run).filter(({ type }) => type !== 'CheckpointSaved');
  const before = events();
  const refused = await attractor(['resume', 'r'], { cwd });
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain(`this run is being executed by process ${process.pid}`);
  expect(events()).toEqual(before);
  go();
  expect(await running.finished).toMatchObject({ status: 0 });
});

describe('Ctrl-C', () => {
  test('once: the running stage ends, the run is paused, and it is said how to continue', async () => {
    const run = await steered();
    run.running.signal('SIGINT');
    await run.running.until('the hint', () => run.running.output().includes('Ctrl-C again cancels the run'));
    run.go();
    const { status, stdout } = await run.running.finished;
    expect(status).toBe(130);
    expect(stdout).toContain('paused: interrupted');
    expect(stdout).toContain('resume:        attractor resume r');
    expect(typesOf(run.run).slice(-2)).toEqual(['StageCompleted', 'PipelinePaused']);
    await expectToGoOn(run, 1);
  });

  test('twice: the running stage is stopped, and the run is cancelled', async () => {
    const run = await steered();
    run.running.signal('SIGINT');
    await run.running.until('the hint', () => run.running.output().includes('Ctrl-C again'));
    run.running.signal('SIGINT');
    const { status, stdout } = await run.running.finished;
    expect(status).toBe(4);
    expect(stdout).toContain('■ cancelled');
    expect(lastOf(run.run)).toBe('PipelineCancelled');
    await expectToolGone(run.cwd);
    await expectToGoOn(run, 2);
  });

  test('at a question, the run is paused at once', async () => {
    const cwd = directoryWith({ 'gate.dot': gate });
    const asking = startAttractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd, input: 'open' });
    await asking.until('the question', () => asking.output().includes('Select: '));
    asking.signal('SIGINT');
    expect(await asking.finished).toMatchObject({ status: 130 });
  });
});

describe('attractor status', () => {
  test('running: who executes it since when, what is under way, and what can be done', async () => {
    const { cwd, running, go } = await steered();
    const { stdout } = await attractor(['status', 'r'], { cwd });
    expect(stdout).toMatch(/^▶ running · steered · be steered\n/);
    expect(stdout).toMatch(new RegExp(`process +${process.pid}, since `));
    expect(stdout).toMatch(/\nnow\n {2}work running for /);
    expect(stdout).toContain('attractor pause r\n');
    expect(await statusOf({ cwd })).toMatchObject({
      status: 'running',
      process: { pid: process.pid },
      stages: [{ node_id: 'work', state: 'running', attempt: 1, visit: 1 }],
      stages_done: 0,
      quality: 'clean',
    });
    go();
    await running.finished;
    expect((await attractor(['status', 'r'], { cwd })).stdout).toMatch(
      /^✔ success · steered[\s\S]*done +2 stages/,
    );
  });

  test('interrupted: what runs again', async () => {
    const { cwd } = await cutOff();
    const { stdout } = await attractor(['status', 'r'], { cwd });
    expect(stdout).toMatch(/^‖ interrupted/);
    expect(stdout).toMatch(/\nruns again when resumed\n {2}work, began /);
    expect(stdout).toContain('\n  attractor resume r\n');
  });

  test('asking, and paused: the question, its choices, and how to answer', async () => {
    const cwd = directoryWith({ 'gate.dot': gate });
    const asking = startAttractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd, input: 'open' });
    await asking.until('the question', () => asking.output().includes('Select: '));
    expect(await statusOf({ cwd })).toMatchObject({
      status: 'running',
      stages: [{ node_id: 'gate', state: 'asking' }],
      questions: [{ stage: 'gate', text: 'Ship it?', options: [{ key: 'A' }, { key: 'F' }] }],
    });
    const live = await attractor(['status', 'r'], { cwd });
    expect(live.stdout).toContain('    [F] Fix\n    answer: attractor answer r gate=A\n');
    await attractor(['pause', 'r'], { cwd });
    await asking.finished;
    const { stdout } = await attractor(['status', 'r'], { cwd });
    expect(stdout).toContain('gate: Ship it?');
    expect(stdout).toContain('    [F] Fix\n    answer: attractor resume r --answer gate=A\n');
  });

  test('failed: where, why, and how often', async () => {
    const cwd = directoryWith({ 'fails.dot': pipelineOf('echo no luck >&2; exit 7') });
    await attractor(['run', 'fails.dot', '--run-dir', 'r'], { cwd });
    await attractor(['resume', 'r'], { cwd });
    const { stdout } = await attractor(['status', 'r'], { cwd });
    expect(stdout).toMatch(/^✖ failed at work · steered/);
    expect(stdout).toMatch(/✖ work {2}exit code 7: no luck {2}\(2 times, the last /);
    expect(await statusOf({ cwd })).toMatchObject({
      status: 'fail',
      failed_node: 'work',
      failures: [{ node_id: 'work', count: 2, recovered: false }],
    });
  });

  test('branches: what each of them does', async () => {
    const fan = `digraph fan {
      start [shape=Mdiamond]
      done [shape=Msquare]
      split [shape=component, max_parallel=2]
      join [shape=tripleoctagon]
      node [shape=parallelogram]
      quick [tool_command="true"]
      slow [tool_command="${waits}"]
      other [tool_command="until test -f go; do sleep 0.02; done"]
      late [tool_command="true"]
      start -> split
      split -> quick -> join
      split -> slow -> join
      split -> other -> join
      split -> late -> join
      join -> done
    }`;
    const cwd = directoryWith({ 'fan.dot': fan });
    const running = startAttractor(['run', 'fan.dot', '--run-dir', 'r'], { cwd });
    const begun = () => journalOf(path.join(cwd, 'r')).filter(({ type }) => type === 'ParallelBranchStarted');
    await running.until('the branches', () => begun().length === 3);
    await running.until('the stage', () => timesStarted(cwd) === 1);
    const { stdout } = await attractor(['status', 'r'], { cwd });
    expect(stdout).toContain('branches of split: 1 of 4 done\n');
    expect(stdout).toMatch(/▶ slow +for \S+, at slow: running for /);
    expect(stdout).toMatch(/✔ quick +success in /);
    expect(stdout).toContain('1 branch has not begun');
    writeFileSync(path.join(cwd, 'go'), '');
    expect(await running.finished).toMatchObject({ status: 0 });
  });

  test('without a name, it is the newest run; where there is none, that is said', async () => {
    const cwd = directoryWith({ 'a.dot': pipelineOf('true'), 'b.dot': gate });
    expect(await attractor(['status'], { cwd })).toMatchObject({ status: 2 });
    await attractor(['run', 'a.dot'], { cwd });
    await attractor(['run', 'b.dot'], { cwd });
    const { stdout } = await attractor(['status'], { cwd });
    expect(stdout).toMatch(/^‖ paused · release/);
    expect(stdout).toMatch(/attractor resume \d{8}-\d{6}-release-[a-z2-7]{6}\n/);
  });

  test('a journal that is damaged is said to be so', async () => {
    const { cwd, run } = await cutOff();
    const lines = linesOf(path.join(run, 'events.jsonl'));
    writeFileSync(path.join(run, 'events.jsonl'), `${lines.with(1, 'rubbish').join('\n')}\n`);
    const shown = await attractor(['status', 'r'], { cwd });
    expect(shown).toMatchObject({ status: 5, stdout: '' });
    expect(shown.stderr).toContain('damaged in line 2');
    const logged = await attractor(['logs', 'r'], { cwd });
    expect(logged.status).toBe(5);
    expect(logged.stderr).toContain('line 2 of the journal is damaged');
    expect(logged.stdout).toContain('Pipeline "steered" started');
  });
});

describe('attractor logs', () => {
  test('-f follows a run through a pause and a resume by another process, until it has ended', async () => {
    const run = await steered();
    const following = startAttractor(['logs', 'r', '-f', '--json'], { cwd: run.cwd });
    await following.until('the first lines', () =>
      following.output().includes('"StageStarted","node_id":"work"'),
    );
    await attractor(['pause', 'r', '--now'], { cwd: run.cwd });
    await following.until('the pause', () =>
      following.output().includes('the run is paused; waiting until it is resumed'),
    );
    await expectToGoOn(run, 2);
    const { status, stdout } = await following.finished;
    expect(status).toBe(0);
    expect(stdout).toBe(journalText(run.run));
  });

  test('-f of a run that has ended prints it and ends', async () => {
    const cwd = directoryWith({ 'a.dot': pipelineOf('echo hello') });
    await attractor(['run', 'a.dot', '--run-dir', 'r'], { cwd });
    const plain = await attractor(['logs', 'r'], { cwd });
    expect(plain).toMatchObject({ status: 0, stderr: '' });
    expect(plain.stdout).toMatch(
      /^ +1 {2}\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} {2}Pipeline "steered" started\n/,
    );
    expect(plain.stdout).toMatch(/ {2}Stage "work" completed: success \(\S+\)\n/);
    expect(await attractor(['logs', 'r', '-f'], { cwd })).toEqual(plain);
  });

  test('Ctrl-C ends -f, and the run continues', async () => {
    const { cwd, running, go } = await steered();
    const following = startAttractor(['logs', 'r', '-f'], { cwd });
    await following.until('the first lines', () => following.output().includes('"work" started'));
    following.signal('SIGINT');
    expect(await following.finished).toMatchObject({ status: 130 });
    go();
    expect(await running.finished).toMatchObject({ status: 0 });
  });

  test('shows the events of a stage, those after a number, and what a stage has printed', async () => {
    const cwd = directoryWith({ 'a.dot': pipelineOf('echo hello; echo careful >&2') });
    await attractor(['run', 'a.dot', '--run-dir', 'r'], { cwd });
    const seqs = async (...args: readonly string[]) => {
      const { stdout } = await attractor(['logs', 'r', '--json', ...args], { cwd });
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(linkOf(line).text));
    };
    const all = journalOf(path.join(cwd, 'r'));
    expect(await seqs('--since', '3')).toEqual(all.slice(3));
    expect(await seqs('--node', 'work')).toEqual(
      all.filter(({ node_id: id, from }) => id === 'work' || from === 'work'),
    );
    expect(await attractor(['logs', 'r', '--output', 'work'], { cwd })).toMatchObject({
      status: 0,
      stdout: '==> stdout.log <==\nhello\n==> stderr.log <==\ncareful\n',
    });
    const misspelt = await attractor(['logs', 'r', '--node', 'wrok'], { cwd });
    expect(misspelt).toMatchObject({ status: 2 });
    expect(misspelt.stderr).toContain('(did you mean "work"?)');
    const unknown = await attractor(['logs', 'r', '--output', '../r'], { cwd });
    expect(unknown).toMatchObject({ status: 2, stdout: '' });
    expect((await attractor(['logs', 'r', '--since', 'x'], { cwd })).status).toBe(2);
  });
});
