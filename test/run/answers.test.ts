import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import type { RunEvent } from '../../src/machine/event.js';
import type { Answer } from '../../src/machine/interview.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { type Execution, start, startResuming } from '../../src/run/execution.js';
import {
  absentInterviewer,
  questionSettled,
  waitingInterviewer,
} from '../../src/run/questions/interviewer.js';
import { leaveAnswer } from '../../src/run/questions/question-files.js';
import type { RunOptions } from '../../src/run/run.js';
import { nodeFileSystem } from '../../src/run-directory/file-system.js';
import { heldInterviewer } from '../support/interviewers.js';
import { journalOf } from '../support/journal-of.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { pipeline } from './harness.js';

// An answer is an input of the machine: wherever it comes from, the first one counts, and none is lost.

const backend: CodergenBackend = { run: async () => 'done' };

const gate = pipeline(
  ...['g [shape=hexagon, label="Ship it?"]', 'ship', 'fix', 'start -> g'],
  ...['g -> ship [label="[A] Approve"]', 'g -> fix [label="[F] Fix"]', 'ship -> exit', 'fix -> exit'],
);
function started(dot: string, options: RunOptions = {}): Execution {
  const runDirectory = path.join(temporaryDirectory(), 'run');
  return start(dot, { runDirectory, interviewer: waitingInterviewer, backend, ...options });
}

/** Reads events until one is of this type; the loop ends, the run does not. */
async function until(execution: Execution, type: RunEvent['type']): Promise<RunEvent> {
  for await (const event of execution.events({ from: 1 })) if (event.type === type) return event;
  throw new Error(`there is no ${type}`);
}

async function asked(dot: string, options: RunOptions = {}): Promise<Execution> {
  const execution = started(dot, options);
  await until(execution, 'InterviewStarted');
  return execution;
}

const completed = (directory: string): readonly unknown[] =>
  journalOf(directory).filter(({ type }) => type === 'InterviewCompleted');

const questionsIn = (directory: string): string => path.join(directory, 'open-questions');

describe('an answer to a run', () => {
  test.each(['A', 'approve', 'ship', '1'])('is read as a person types it: %s', async (text) => {
    const execution = await asked(gate);
    expect(execution.questions).toMatchObject([{ question: { id: 'g.1.1.1', stage: 'g' } }]);
    expect(await execution.answer('g', text)).toMatchObject({ kind: 'taken', answer: { value: 'A' } });
    expect(completed(execution.directory)).toMatchObject([
      { question_id: 'g.1.1.1', answer: { value: 'A' } },
    ]);
    expect(await execution.result).toMatchObject({ path: ['start', 'g', 'ship', 'exit'] });
    expect(existsSync(questionsIn(execution.directory))).toBe(false);
  });

  test('that is not one of the choices is told, and the question stays open', async () => {
    const execution = await asked(gate);
    expect(await execution.answer('g.1.1.1', 'maybe')).toMatchObject({
      kind: 'unfit',
      question: { options: [{ key: 'A' }, { key: 'F' }] },
    });
    expect(await execution.answer('g.1.1.1', 'f')).toMatchObject({ kind: 'taken' });
    expect(await execution.result).toMatchObject({ path: ['start', 'g', 'fix', 'exit'] });
  });

  test('to a question that nobody asks is told', async () => {
    const execution = await asked(gate);
    expect(await execution.answer('h', 'A')).toEqual({ kind: 'not_open' });
    execution.cancel();
    expect(await execution.result).toMatchObject({ status: 'cancelled' });
    expect(await execution.answer('g', 'A')).toEqual({ kind: 'not_open' });
    expect(execution.questions).toEqual([]);
  });

  test('has its secrets taken out before anything keeps it', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const handlers = new HandlerRegistry().register('ask.text', {
      async execute(stage) {
        await stage.ask({ text: 'What for?', type: 'FREEFORM' });
        return { status: 'success' };
      },
    });
    const execution = await asked(pipeline('q [type="ask.text"]', 'start -> q -> exit'), { handlers });
    const receipt = await execution.answer('q', `with ${secret}`);
    expect(receipt).toMatchObject({ kind: 'taken', answer: { text: expect.stringContaining('[redacted') } });
    await execution.result;
    expect(readFileSync(path.join(execution.directory, 'events.jsonl'), 'utf8')).not.toContain(secret);
  });

  test('may name several options', async () => {
    const answers: Answer[] = [];
    const handlers = new HandlerRegistry().register('ask.several', {
      async execute(stage) {
        const options = ['L', 'M', 'W'].map((key) => ({ key, label: key }));
        answers.push(await stage.ask({ text: 'Which?', type: 'MULTI_SELECT', options }));
        return { status: 'success' };
      },
    });
    const execution = await asked(pipeline('q [type="ask.several"]', 'start -> q -> exit'), { handlers });
    expect(await execution.answer('q', 'w, l')).toMatchObject({ kind: 'taken' });
    await execution.result;
    expect(answers).toMatchObject([{ value: 'L, W', selected_options: [{ key: 'L' }, { key: 'W' }] }]);
  });

  test('in a branch leaves the questions of the others open', async () => {
    const branches = pipeline(
      ...['fork [shape=component]', 'a [shape=hexagon]', 'b [shape=hexagon]', 'join [shape=tripleoctagon]'],
      ...['start -> fork', 'fork -> a', 'fork -> b', 'a -> join [label="Yes"]', 'b -> join [label="Yes"]'],
      'join -> exit',
    );
    const execution = started(branches);
    await vi.waitFor(() => expect(execution.questions).toHaveLength(2), { timeout: 20_000 });
    expect(await execution.answer('b', 'Yes')).toMatchObject({ kind: 'taken' });
    expect(execution.questions).toMatchObject([{ question: { stage: 'a' } }]);
    expect(await execution.answer('a', 'Yes')).toMatchObject({ kind: 'taken' });
    expect(await execution.result).toMatchObject({ status: 'success' });
  });
});

describe('of two answers exactly one counts', () => {
  test('from two callers', async () => {
    const execution = await asked(gate);
    const both = await Promise.all([execution.answer('g', 'A'), execution.answer('g.1.1.1', 'F')]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(['not_open', 'taken']);
    await execution.result;
    expect(completed(execution.directory)).toMatchObject([{ answer: { value: 'A' } }]);
  });

  test('from a caller and a file, which says so', async () => {
    const execution = await asked(gate);
    const questions = questionsIn(execution.directory);
    await vi.waitFor(() => expect(existsSync(path.join(questions, 'g.1.1.1.json'))).toBe(true), {
      timeout: 20_000,
    });
    const [waiting] = execution.questions;
    if (waiting === undefined) throw new Error('no question');
    leaveAnswer(questions, waiting.question, { value: 'F' });
    const receipt = await execution.answer('g', 'A');
    expect(receipt).toMatchObject({ kind: 'taken' });
    expect(await execution.result).toMatchObject({ path: ['start', 'g', 'ship', 'exit'] });
    expect(readFileSync(path.join(questions, 'g.1.1.1.rejected'), 'utf8')).toContain('answered elsewhere');
    expect(completed(execution.directory)).toHaveLength(1);
  });

  test('from a caller and an interviewer, which gets to know', async () => {
    const held = heldInterviewer();
    const execution = await asked(gate, { interviewer: held });
    await vi.waitFor(() => expect(held.asked).toHaveLength(1), { timeout: 20_000 });
    expect(await execution.answer('g', 'A')).toMatchObject({ kind: 'taken' });
    expect(held.reasonOf(0)).toBe(questionSettled);
    held.answer(0, { value: 'F' });
    expect(await execution.result).toMatchObject({ path: ['start', 'g', 'ship', 'exit'] });
    expect(completed(execution.directory)).toHaveLength(1);
  });
});

describe('an answer is not lost', () => {
  async function pausedRun(dot = gate): Promise<string> {
    const execution = started(dot, { interviewer: absentInterviewer });
    expect(await execution.result).toMatchObject({ status: 'paused' });
    return execution.directory;
  }

  test('that comes before a resumed run has put the question again', async () => {
    const directory = await pausedRun();
    const execution = startResuming(directory, { interviewer: waitingInterviewer, backend });
    expect(await execution.answer('g', 'F')).toMatchObject({ kind: 'taken' });
    expect(await execution.result).toMatchObject({ path: ['start', 'g', 'fix', 'exit'] });
    expect(journalOf(directory).filter(({ type }) => type === 'InterviewStarted')).toHaveLength(1);
  });

  test('that a process has left before it was cut off', async () => {
    const directory = await pausedRun();
    const question = JSON.parse(readFileSync(path.join(questionsIn(directory), 'g.1.1.1.json'), 'utf8'));
    leaveAnswer(questionsIn(directory), question, { value: 'F' });
    expect(await startResuming(directory, { interviewer: absentInterviewer, backend }).result).toMatchObject({
      path: ['start', 'g', 'fix', 'exit'],
    });
    expect(existsSync(questionsIn(directory))).toBe(false);
  });

  test('that comes while the run is about to pause: whoever resumes it finds it', async () => {
    const dot = pipeline(
      ...['fork [shape=component]', 'g [shape=hexagon]', 'work [type="test.work"]'],
      ...['join [shape=tripleoctagon]', 'start -> fork', 'fork -> g', 'fork -> work'],
      ...['g -> join [label="Yes"]', 'work -> join', 'join -> exit'],
    );
    let finish: () => void = () => undefined;
    const working = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const work = {
      execute: async () => {
        await working;
        return { status: 'success' } as const;
      },
    };
    const handlers = new HandlerRegistry().register('test.work', work);
    const execution = started(dot, { handlers });
    await until(execution, 'InterviewStarted');
    execution.pause();
    await until(execution, 'PipelinePausing');
    expect(await execution.answer('g', 'Yes')).toMatchObject({ kind: 'taken' });
    finish();
    const { directory } = execution;
    expect(await execution.result).toMatchObject({ status: 'paused' });
    const again = startResuming(directory, { handlers, backend, interviewer: absentInterviewer });
    expect(await again.result).toMatchObject({ status: 'success' });
    expect(completed(directory)).toHaveLength(1);
  });

  test('to the question of a child run, by its id or by its name', async () => {
    const workingDirectory = temporaryDirectory();
    writeFileSync(path.join(workingDirectory, 'child.dot'), gate);
    const above = pipeline('sub [type="pipeline", child="child.dot"]', 'start -> sub -> exit');
    for (const byName of [true, false]) {
      mkdirSync(path.join(workingDirectory, String(byName)));
      const execution = started(above, {
        workingDirectory,
        runDirectory: path.join(workingDirectory, String(byName), 'run'),
      });
      await vi.waitFor(() => expect(execution.questions).toHaveLength(1), { timeout: 20_000 });
      const [waiting] = execution.questions;
      expect(waiting?.question.stage).toBe('sub/g');
      expect(waiting?.question.id).toMatch(/\.g\.1\.1\.1$/);
      const name = byName ? 'sub/g' : (waiting?.question.id ?? '');
      expect(await execution.answer(name, 'F')).toMatchObject({ kind: 'taken', answer: { value: 'F' } });
      expect(await execution.answer(name, 'F')).toEqual({ kind: 'not_open' });
      expect(await execution.result).toMatchObject({ status: 'success' });
    }
  });

  test('without a word, where it cannot be written down', async () => {
    const execution = await asked(gate);
    execution.result.catch(() => undefined);
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const write = vi.spyOn(nodeFileSystem, 'write').mockImplementation(() => {
      throw full;
    });
    onTestFinished(() => write.mockRestore());
    await expect(execution.answer('g', 'A')).rejects.toMatchObject({ code: 'storage' });
    await expect(execution.result).rejects.toMatchObject({ code: 'storage' });
  });
});
