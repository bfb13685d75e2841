import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { attractor } from '../../cli/attractor.js';
import { type JournalLine, journalOf, journalText, linesOf } from '../../support/journal-of.js';
import { isGroupAlive } from '../../support/processes.js';
import { waitFor } from '../../support/wait-for.js';
import { directoryWith, startAttractor } from './attractor.js';

// What a run loses when its process goes (DESIGN §1.3): at most the stage that was under way. Runs that are killed at random
// moments are in test/proof/crash/kills.test.ts.

/** A tool that notes its process and then works until the file \`go\` is there. */
const waits = 'echo $$ >> pids; until test -f go; do sleep 0.02; done; echo done >> lines';

function pipelineOf(stage: string): string {
  return `digraph crash {
  start [shape=Mdiamond]
  done [shape=Msquare]
  first [shape=parallelogram, tool_command="echo first >> lines"]
  work [${stage}]
  start -> first -> work -> done
}
`;
}

/**
 * Has no pause before a retry end in a process that loads it: however late that is killed or told to stop, it is in the pause.
 * Preloaded, as `node --require` does.
 */
const heldPauses = `const { setTimeout: start } = globalThis;
globalThis.setTimeout = (call, ms, ...rest) => start(call, ms < 1000 ? ms : 2 ** 31 - 1, ...rest);
`;

/** A run whose stage is tried twice, at its pause in between. */
async function pausedBeforeRetry() {
  const tool = 'echo try >> tries; test $(wc -l < tries) -ge 2';
  const stage = `shape=parallelogram, retry_policy=patient, max_retries=1, tool_command="${tool}"`;
  const cwd = directoryWith({ 'retry.dot': pipelineOf(stage), 'held.cjs': heldPauses });
  const env = { NODE_OPTIONS: '--require ./held.cjs' };
  const running = startAttractor(['run', 'retry.dot', '--run-dir', 'r'], { cwd, env });
  const run = path.join(cwd, 'r');
  await running.until('the pause', () => typesOf(run).includes('StageRetrying'));
  return { cwd, run, running };
}

const gate = `digraph gate {
  start [shape=Mdiamond]
  done [shape=Msquare]
  ask [shape=hexagon, label="Ship it?"]
  start -> ask
  ask -> done [label="[Y] Yes"]
  ask -> start2 [label="[N] No"]
  start2 [shape=parallelogram, tool_command="true"]
  start2 -> ask
}
`;

describe('killed', () => {
  test('in a stage that must not simply run again, a run that approves everything asks', async () => {
    const stage = `shape=parallelogram, idempotent=false, tool_command="${waits}"`;
    const cwd = directoryWith({ 'once.dot': pipelineOf(stage) });
    const running = startAttractor(['run', 'once.dot', '--run-dir', 'r', '--auto-approve'], { cwd });
    await running.until('the tool', () => linesOf(path.join(cwd, 'pids')).length === 1);
    running.kill('SIGKILL');
    await running.finished;

    const paused = await attractor(['resume', 'r'], { cwd });
    expect(paused).toMatchObject({ status: 3 });
    expect(paused.stdout).toContain('answer:        attractor resume r --answer work=ANSWER');
    expect(await attractor(['answer', 'r', 'work=D'], { cwd })).toMatchObject({ status: 0 });
    expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect(linesOf(path.join(cwd, 'pids'))).toHaveLength(1);
  });

  test('while a person is asked, a run asks the same question once more', async () => {
    const cwd = directoryWith({ 'gate.dot': gate });
    const run = path.join(cwd, 'r');
    const asking = startAttractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd, input: 'open' });
    await asking.until('the question', () => asking.output().includes('Select: '));
    asking.kill('SIGKILL');
    await asking.finished;
    expect(typesOf(run).at(-1)).toBe('InterviewStarted');

    const resumed = await attractor(['resume', 'r'], { cwd, input: 'Y\n' });
    expect(resumed).toMatchObject({ status: 0 });
    expect(resumed.stdout.split('[?] Ship it?')).toHaveLength(2);
    expect(typesOf(run).filter((type) => type.startsWith('Interview'))).toEqual([
      'InterviewStarted',
      'InterviewCompleted',
    ]);
    const starts = journalOf(run).filter(({ type, node_id }) => type === 'StageStarted' && node_id === 'ask');
    expect(starts).toMatchObject([{ visit: 1 }, { visit: 1, resumed: true }]);
  });

  test('in the pause before a retry, a run waits for the rest of it and tries once', async () => {
    const { cwd, run, running } = await pausedBeforeRetry();
    running.kill('SIGKILL');
    await running.finished;

    expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
    const events = journalOf(run);
    const retrying = events.find(({ type }) => type === 'StageRetrying');
    const attempts = events.filter(({ type, node_id }) => type === 'StageStarted' && node_id === 'work');
    expect(attempts).toMatchObject([{ attempt: 1 }, { attempt: 2, visit: 1 }]);
    const waited = timeOf(attempts[1]) - timeOf(retrying);
    // Timers and the time of day are rounded, each on its own.
    expect(waited).toBeGreaterThanOrEqual(Number(retrying?.delay) - 2);
    expect(linesOf(path.join(cwd, 'tries'))).toHaveLength(2);
    expect(linesOf(path.join(cwd, 'lines'))).toEqual(['first']);
  });

  test('a run is resumed by one of several processes; the others say who has it', async () => {
    const cwd = directoryWith({ 'wait.dot': pipelineOf(`shape=parallelogram, tool_command="${waits}"`) });
    const run = path.join(cwd, 'r');
    const first = startAttractor(['run', 'wait.dot', '--run-dir', 'r'], { cwd });
    await first.until('the stage', () => linesOf(path.join(cwd, 'pids')).length === 1);
    first.kill('SIGKILL');
    await first.finished;
    // It ends with its process, but a moment later: until then, it would see what the next one waits for.
    await waitFor('its tool to end', () => !isGroupAlive(Number(linesOf(path.join(cwd, 'pids'))[0])));

    const resumers = [0, 1, 2, 3].map(() => startAttractor(['resume', 'r'], { cwd }));
    const losers: string[] = [];
    for (const { finished } of resumers) {
      void finished.then(({ status, stderr }) => losers.push(`${status} ${stderr}`));
    }
    await waitFor('three of them to give up', () => losers.length === 3);
    writeFileSync(path.join(cwd, 'go'), '');
    const ends = await Promise.all(resumers.map(({ finished }) => finished));
    expect(ends.map(({ status }) => status).sort()).toEqual([0, 2, 2, 2]);
    const winner = resumers[ends.findIndex(({ status }) => status === 0)];
    for (const loser of losers.slice(0, 3)) {
      expect(loser).toContain(`2 attractor: this run is being executed by process ${winner?.pid}. `);
    }
    expect(typesOf(run).filter((type) => type === 'PipelineResumed')).toHaveLength(1);
    expect(linesOf(path.join(cwd, 'lines')).toSorted()).toEqual(['done', 'first']);
  });

  test('a run that is under way is not resumed by another process', async () => {
    const cwd = directoryWith({ 'wait.dot': pipelineOf(`shape=parallelogram, tool_command="${waits}"`) });
    const running = startAttractor(['run', 'wait.dot', '--run-dir', 'r'], { cwd });
    await running.until('the stage', () => linesOf(path.join(cwd, 'pids')).length === 1);
    const journal = journalText(path.join(cwd, 'r'));
    const refused = await attractor(['resume', 'r'], { cwd });
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(`process ${running.pid}`);
    // The process that has the run may continue writing.
    expect(journalText(path.join(cwd, 'r')).startsWith(journal)).toBe(true);
    expect(typesOf(path.join(cwd, 'r'))).not.toContain('PipelineResumed');
    const listed = await attractor(['runs', '--json'], { cwd });
    expect(listed.status).toBe(0);
    writeFileSync(path.join(cwd, 'go'), '');
    expect(await running.finished).toMatchObject({ status: 0 });
  });
});

describe('told to stop', () => {
  const stubborn = `trap '' TERM; ${waits}`;

  test.each([
    { tool: waits, name: 'a tool' },
    { tool: stubborn, name: 'a tool that ignores SIGTERM' },
  ])('by SIGTERM, a run ends $name, and resume continues', async ({ tool }) => {
    const cwd = directoryWith({ 'wait.dot': pipelineOf(`shape=parallelogram, tool_command="${tool}"`) });
    const running = startAttractor(['run', 'wait.dot', '--run-dir', 'r', '--json'], { cwd });
    await running.until('the stage', () => linesOf(path.join(cwd, 'pids')).length === 1);
    running.kill('SIGTERM');
    const { status, stdout } = await running.finished;
    expect(status).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'paused', completed_nodes: ['start', 'first'] });
    const [pid] = linesOf(path.join(cwd, 'pids'));
    await waitFor('the tool to end', () => !isGroupAlive(Number(pid)));
    expect(typesOf(path.join(cwd, 'r')).at(-1)).toBe('PipelinePaused');

    writeFileSync(path.join(cwd, 'go'), '');
    expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect(linesOf(path.join(cwd, 'lines'))).toEqual(['first', 'done']);
  });

  test('twice, a run ends at once and leaves no tool behind', async () => {
    const cwd = directoryWith({ 'wait.dot': pipelineOf(`shape=parallelogram, tool_command="${stubborn}"`) });
    const running = startAttractor(['run', 'wait.dot', '--run-dir', 'r'], { cwd });
    await running.until('the stage', () => linesOf(path.join(cwd, 'pids')).length === 1);
    running.kill('SIGTERM');
    await running.until('the pause', () => typesOf(path.join(cwd, 'r')).at(-1) === 'PipelinePaused');
    running.kill('SIGTERM');
    expect(await running.finished).toMatchObject({ status: 130 });
    const [pid] = linesOf(path.join(cwd, 'pids'));
    await waitFor('the tool to end', () => !isGroupAlive(Number(pid)));

    writeFileSync(path.join(cwd, 'go'), '');
    expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect(linesOf(path.join(cwd, 'lines'))).toEqual(['first', 'done']);
  });

  test('while a person is asked, a run pauses and asks again', async () => {
    const cwd = directoryWith({ 'gate.dot': gate });
    const asking = startAttractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd, input: 'open' });
    await asking.until('the question', () => asking.output().includes('Select: '));
    asking.kill('SIGINT');
    expect(await asking.finished).toMatchObject({ status: 130 });
    expect(await attractor(['resume', 'r', '--answer', 'ask=Y'], { cwd })).toMatchObject({ status: 0 });
  });

  test('in the pause before a retry, a run pauses and waits for the rest of it', async () => {
    const { cwd, running } = await pausedBeforeRetry();
    running.kill('SIGTERM');
    expect(await running.finished).toMatchObject({ status: 130 });
    expect(linesOf(path.join(cwd, 'tries'))).toHaveLength(1);
    expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect(linesOf(path.join(cwd, 'tries'))).toHaveLength(2);
  });
});

function typesOf(run: string): readonly string[] {
  return journalOf(run).map(({ type }) => type);
}

function timeOf(event: JournalLine | undefined): number {
  return Date.parse(String(event?.timestamp));
}
