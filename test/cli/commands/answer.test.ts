import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../../support/directory-with.js';
import { journalOf } from '../../support/journal-of.js';
import { waitFor } from '../../support/wait-for.js';
import { attractor, type Running, startAttractor } from '../attractor.js';

const gate = (attributes = '') => `digraph release {
  start [shape=Mdiamond]
  done [shape=Msquare]
  gate [shape=hexagon, label="Ship it?"${attributes}]
  ship [shape=parallelogram, tool_command="true"]
  fix [shape=parallelogram, tool_command="true"]
  start -> gate
  gate -> ship [label="[A] Approve"]
  gate -> fix [label="[F] Fix"]
  ship -> done
  fix -> done
}
`;

const question = 'r/open-questions/gate.1.1.1.json';

interface Waiting {
  readonly cwd: string;
  readonly running: Running;
}

/** A run whose gate waits for a line of a pipe, or for somebody else. */
async function waitingRun(attributes = ''): Promise<Waiting> {
  const cwd = directoryWith({ 'gate.dot': gate(attributes) });
  const running = startAttractor(['run', 'gate.dot', '--run-dir', 'r', '--json'], { cwd, input: 'open' });
  await running.until('the question', () => existsSync(path.join(cwd, question)));
  return { cwd, running };
}

async function pausedRun(attributes = ''): Promise<string> {
  const cwd = directoryWith({ 'gate.dot': gate(attributes) });
  expect(await attractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd })).toMatchObject({ status: 3 });
  return cwd;
}

async function pathOf(running: Running): Promise<string> {
  return JSON.parse((await running.finished).stdout).path.join(' ');
}

describe('a run that another process executes', () => {
  test.each([['gate=Fix'], ['F'], ['gate.1.1.1=2']])('is answered by %s', async (answer) => {
    const { cwd, running } = await waitingRun();
    expect(JSON.parse(readFileSync(path.join(cwd, question), 'utf8'))).toMatchObject({
      id: 'gate.1.1.1',
      text: 'Ship it?',
      type: 'MULTIPLE_CHOICE',
      stage: 'gate',
    });
    expect(await attractor(['answer', 'r', answer], { cwd })).toEqual({
      status: 0,
      stdout: 'gate: [F] Fix\n',
      stderr: '',
    });
    expect(await pathOf(running)).toBe('start gate fix done');
    expect(existsSync(path.join(cwd, 'r/open-questions'))).toBe(false);
  });

  test('shows its questions', async () => {
    const { cwd, running } = await waitingRun(', prompt="Look at the diff"');
    expect(await attractor(['answer', 'r'], { cwd })).toEqual({
      status: 0,
      stdout: 'gate: [?] Ship it?\n    Look at the diff\n    [A] Approve\n    [F] Fix\n',
      stderr: '',
    });
    running.write('A\n');
    expect(await pathOf(running)).toBe('start gate ship done');
  });

  test('refuses an answer that fits no choice, and continues waiting', async () => {
    const { cwd, running } = await waitingRun();
    const refused = await attractor(['answer', 'r', 'gate=Q'], { cwd });
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('"Q" does not answer "gate", which offers: [A] Approve, [F] Fix');
    await attractor(['answer', 'r', 'A'], { cwd });
    expect(await pathOf(running)).toBe('start gate ship done');
  });

  test('takes one of two answers, and says so to the other', async () => {
    const { cwd, running } = await waitingRun();
    const answers = await Promise.all(
      ['A', 'F'].map((answer) => attractor(['answer', 'r', answer], { cwd })),
    );
    const taken = answers.filter(({ status }) => status === 0);
    expect(taken).toHaveLength(1);
    expect(answers.find(({ status }) => status !== 0)).toMatchObject({ status: 2 });
    const expected = taken[0]?.stdout === 'gate: [A] Approve\n' ? 'ship' : 'fix';
    expect(await pathOf(running)).toBe(`start gate ${expected} done`);
    const recorded = journalOf(path.join(cwd, 'r')).filter(({ type }) => type === 'InterviewCompleted');
    expect(recorded).toHaveLength(1);
  });

  test('takes a file that somebody wrote by hand, and puts a wrong one aside', async () => {
    const { cwd, running } = await waitingRun();
    writeFileSync(path.join(cwd, 'r/open-questions/gate.1.1.1.answer'), 'Q\n');
    const note = path.join(cwd, 'r/open-questions/gate.1.1.1.rejected');
    // It is there, and empty, a moment before it says anything.
    await waitFor('the note', () => existsSync(note) && readFileSync(note, 'utf8').endsWith('\n'));
    expect(readFileSync(note, 'utf8')).toContain('answer with A, F');
    writeFileSync(path.join(cwd, 'r/open-questions/gate.1.1.1.answer'), 'fix\n');
    expect(await pathOf(running)).toBe('start gate fix done');
  });

  test('87: may be answered until the time of the gate is up, where its own input has ended', async () => {
    const cwd = directoryWith({ 'gate.dot': gate(', timeout="1h"') });
    const running = startAttractor(['run', 'gate.dot', '--run-dir', 'r', '--json'], { cwd });
    await running.until('the question', () => existsSync(path.join(cwd, question)));
    expect(await attractor(['answer', 'r', 'F'], { cwd })).toMatchObject({ status: 0 });
    expect(await pathOf(running)).toBe('start gate fix done');
  });
});

describe('a run that is paused', () => {
  test('87: keeps the question and the answer until it is resumed', async () => {
    const cwd = await pausedRun();
    expect(existsSync(path.join(cwd, question))).toBe(true);
    const kept = await attractor(['answer', 'r', 'gate=F'], { cwd });
    expect(kept).toMatchObject({ status: 0, stderr: '' });
    expect(kept.stdout).toBe(
      'gate: [F] Fix\nThe answer takes effect when the run is resumed: attractor resume r\n',
    );

    const second = await attractor(['answer', 'r', 'gate=A'], { cwd });
    expect(second).toMatchObject({ status: 2, stdout: '' });
    expect(second.stderr).toContain('"gate" has already been answered with "[F] Fix"');
    expect(second.stderr).toContain('you can withdraw it by removing');

    const resumed = await attractor(['resume', 'r', '--json'], { cwd });
    expect(resumed.status).toBe(0);
    expect(JSON.parse(resumed.stdout).path.join(' ')).toBe('start gate fix done');
    expect(resumed.stderr).not.toContain('Select');
    expect(journalOf(path.join(cwd, 'r')).filter(({ type }) => type.startsWith('Interview'))).toMatchObject([
      { type: 'InterviewStarted', question: { id: 'gate.1.1.1' } },
      { type: 'InterviewCompleted', question_id: 'gate.1.1.1', answer: { value: 'F' } },
    ]);
    expect(readdirSync(path.join(cwd, 'r'))).not.toContain('open-questions');
  });

  test('is still answered by an option of resume, which goes before', async () => {
    const cwd = await pausedRun();
    await attractor(['answer', 'r', 'F'], { cwd });
    const resumed = await attractor(['resume', 'r', '--json', '--answer', 'gate=A'], { cwd });
    expect(JSON.parse(resumed.stdout).path.join(' ')).toBe('start gate ship done');
    expect(readFileSync(path.join(cwd, 'r/open-questions/gate.1.1.1.rejected'), 'utf8')).toContain(
      'it came too late: answered elsewhere',
    );
  });

  test('is answered where its directory holds no questions', async () => {
    const cwd = await pausedRun();
    const { rmSync } = await import('node:fs');
    rmSync(path.join(cwd, 'r/open-questions'), { recursive: true });
    expect(await attractor(['answer', 'r', 'F'], { cwd })).toMatchObject({ status: 0 });
    const resumed = await attractor(['resume', 'r', '--json'], { cwd });
    expect(JSON.parse(resumed.stdout).path.join(' ')).toBe('start gate fix done');
  });
});

test('a run that asks nothing has nothing to answer', async () => {
  const cwd = directoryWith({ 'gate.dot': gate() });
  await attractor(['run', 'gate.dot', '--run-dir', 'r', '--answer', 'gate=A'], { cwd });
  expect(await attractor(['answer', 'r', 'A'], { cwd })).toEqual({
    status: 2,
    stdout: '',
    stderr: 'attractor: this run has no open question: it has already finished (success)\n',
  });
  expect(await attractor(['answer', 'missing', 'A'], { cwd })).toMatchObject({ status: 2 });
});
