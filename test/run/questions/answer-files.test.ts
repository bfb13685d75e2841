import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StageStopped } from '../../../src/handlers/handler.js';
import type { Question } from '../../../src/machine/interview.js';
import { questionSettled, waitingInterviewer } from '../../../src/run/questions/interviewer.js';
import {
  clearQuestions,
  hasAnswer,
  leaveAnswer,
  questionFiles,
  rejectionOf,
} from '../../../src/run/questions/question-files.js';
import { type FileInterviewer, fileInterviewer } from '../../support/file-interviewer.js';
import { turns, typedAnswers } from '../../support/interviewers.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { pipeline, resumePipeline, runOnDisk } from '../harness.js';
import { interviewerContract, questionOf } from './interviewer.contract.js';

const { signal } = new AbortController();
const choice = questionOf('MULTIPLE_CHOICE');

interface Box {
  readonly directory: string;
  readonly interviewer: FileInterviewer;
  write(name: string, text: string): void;
  read(name: string): string;
  names(): readonly string[];
  /** Until the directory holds exactly these files. */
  until(...names: readonly string[]): Promise<void>;
}

function box(directory = path.join(temporaryDirectory(), 'questions')): Box {
  const interviewer = fileInterviewer(directory);
  onTestFinished(() => interviewer.close());
  const names = (): readonly string[] => (existsSync(directory) ? readdirSync(directory).sort() : []);
  return {
    directory,
    interviewer,
    names,
    write: (name, text) => writeFileSync(path.join(directory, name), text),
    read: (name) => readFileSync(path.join(directory, name), 'utf8'),
    until: (...expected) =>
      vi.waitFor(() => expect(names()).toEqual(expected), { timeout: 20_000, interval: 10 }),
  };
}

interviewerContract('a directory', ({ type }) => {
  const { directory, interviewer } = box(temporaryDirectory());
  for (const id of ['g.1.1.1', 'g.2.1.1']) {
    writeFileSync(
      path.join(directory, `${id}.answer.json`),
      `${JSON.stringify({ value: typedAnswers[type] })}\n`,
    );
  }
  return interviewer;
});

describe('a question in a directory', () => {
  test('lies there whole, as JSON, until it is answered; then nothing is left', async () => {
    const { interviewer, names, read, write, until } = box();
    const answer = interviewer.ask(choice, signal);
    expect(names()).toEqual(['g.1.1.1.json']);
    expect(JSON.parse(read('g.1.1.1.json'))).toEqual(choice);
    write('g.1.1.1.answer', 'approve\n');
    expect(await answer).toEqual({ value: 'A', selected_option: { key: 'A', label: '[A] Approve' } });
    await until();
  });

  test.each([
    ['a key', 'answer', 'f\n', 'F'],
    ['a target without a line break', 'answer', 'fix', 'F'],
    ['a number in JSON', 'answer.json', '2', 'F'],
    ['a text in JSON', 'answer.json', '"Approve"', 'A'],
    ['an object', 'answer.json', '{\n  "value": "F"\n}\n', 'F'],
    ['a text in an object', 'answer.json', '{ "text": "fix it" }', 'F'],
    ['a skip', 'answer.json', '{ "value": "SKIPPED" }', 'SKIPPED'],
    ['what an editor of another system writes', 'answer', '\uFEFFA\r\n', 'A'],
  ])('may be answered by %s', async (_name, suffix, text, value) => {
    const { interviewer, write } = box();
    const answer = interviewer.ask(choice, signal);
    write(`g.1.1.1.${suffix}`, text);
    expect((await answer)?.value).toBe(value);
  });

  test('may be answered by several lines, where a text is asked for', async () => {
    const { interviewer, write } = box();
    const answer = interviewer.ask(questionOf('FREEFORM'), signal);
    write('g.1.1.1.answer', 'One.\nTwo.\n');
    expect((await answer)?.text).toBe('One.\nTwo.');
  });

  test.each([
    ['answer', 'Q\n', 'g.1.1.1.answer said "Q": it is not one of the choices; answer with A, F\n'],
    ['answer.json', '{ "value": 1 }', 'it has neither a `value` nor a `text`; answer with A, F\n'],
    ['answer.json', 'A', 'it is not JSON'],
    ['answer.json', '{ "value": "TIMEOUT" }', 'it is not one of the choices'],
  ])('55c: stays open after a wrong .%s, with a note', async (suffix, wrong, note) => {
    const { interviewer, write, read, until } = box();
    const answer = interviewer.ask(choice, signal);
    write(`g.1.1.1.${suffix}`, wrong);
    await until('g.1.1.1.json', 'g.1.1.1.rejected');
    expect(read('g.1.1.1.rejected')).toContain(note);
    write('g.1.1.1.answer', 'F\n');
    expect((await answer)?.value).toBe('F');
    await until();
  });

  test('stays open where an answer cannot be read, with a note', async () => {
    const { directory, interviewer, write, read, until } = box();
    const answer = interviewer.ask(choice, signal);
    mkdirSync(path.join(directory, 'g.1.1.1.answer'));
    await until('g.1.1.1.answer', 'g.1.1.1.json', 'g.1.1.1.rejected');
    expect(hasAnswer(directory, 'g.1.1.1')).toBe(false);
    expect(read('g.1.1.1.rejected')).toBe('g.1.1.1.answer cannot be read: it is a directory\n');
    rmdirSync(path.join(directory, 'g.1.1.1.answer'));
    write('g.1.1.1.answer', 'A\n');
    expect((await answer)?.value).toBe('A');
    await until();
  });

  test('waits for an answer that is still being written', async () => {
    const { interviewer, write, names } = box();
    const answer = interviewer.ask(choice, signal);
    write('g.1.1.1.answer', '');
    await turns(20);
    expect(names()).toContain('g.1.1.1.answer');
    write('g.1.1.1.answer', 'A\n');
    expect((await answer)?.value).toBe('A');
  });

  test('takes one of two answers at once; the other gets to know', async () => {
    const { interviewer, write, read, until } = box(temporaryDirectory());
    write('g.1.1.1.answer', 'A\n');
    write('g.1.1.1.answer.json', '"F"\n');
    expect((await interviewer.ask(choice, signal))?.value).toBe('A');
    await until('g.1.1.1.rejected');
    expect(read('g.1.1.1.rejected')).toBe(
      'g.1.1.1.answer.json said "\\"F\\"": it came too late: "[A] Approve" was answered before\n',
    );
  });

  test('takes the answer of one of two programs, and refuses the other at once', () => {
    const directory = temporaryDirectory();
    expect(leaveAnswer(directory, choice, { value: 'A' })).toBeDefined();
    expect(leaveAnswer(directory, choice, { value: 'F' })).toBeUndefined();
  });

  test('holds nothing else of an answer that is left there, so that it may go as soon as that is taken', async () => {
    const directory = path.join(temporaryDirectory(), 'questions');
    mkdirSync(directory);
    const seen = new Set<string | null>();
    const watcher = watch(directory, (_event, name) => void seen.add(name));
    onTestFinished(() => watcher.close());
    leaveAnswer(directory, choice, { value: 'A' });
    await vi.waitFor(() => expect(seen).toContain('g.1.1.1.answer.json'), { timeout: 20_000 });
    expect([...seen]).toEqual(['g.1.1.1.answer.json']);
  });

  test.each([
    ['is settled elsewhere', questionSettled],
    ['comes from a branch that was stopped', new StageStopped('cancelled', 'another branch failed')],
  ])('is gone when it %s, and a late answer gets to know', async (_name, reason) => {
    const { interviewer, write, read, until } = box();
    const settled = new AbortController();
    const asked = interviewer.ask(choice, settled.signal);
    const other = interviewer.ask({ ...choice, id: 'h.2.1.1' }, signal);
    settled.abort(reason);
    expect(await asked).toBeUndefined();
    await until('h.2.1.1.json');
    write('g.1.1.1.answer', 'A\n');
    await until('g.1.1.1.rejected', 'h.2.1.1.json');
    expect(read('g.1.1.1.rejected')).toContain('said "A": it came too late');
    interviewer.close();
    expect(await other).toBeUndefined();
  });

  test('stays where it is when the run pauses; what is answered then counts when it is asked again', async () => {
    const { directory, interviewer, write, names } = box();
    const paused = new AbortController();
    const asked = interviewer.ask(choice, paused.signal);
    paused.abort(new StageStopped('paused', 'interrupted'));
    expect(await asked).toBeUndefined();
    interviewer.close();
    expect(names()).toEqual(['g.1.1.1.json']);
    write('g.1.1.1.answer', 'F\n');
    expect((await box(directory).interviewer.ask(choice, signal))?.value).toBe('F');
  });

  test('keeps apart what is asked at the same time', async () => {
    const { interviewer, write, until } = box();
    const answers = ['a.1.1.1', 'b.2.1.1'].map((id) => interviewer.ask({ ...choice, id }, signal));
    write('b.2.1.1.answer', 'F\n');
    expect((await answers[1])?.value).toBe('F');
    await until('a.1.1.1.json');
    write('a.1.1.1.answer', 'A\n');
    expect((await answers[0])?.value).toBe('A');
  });

  test('is refused where another one with its id is open', async () => {
    const { interviewer } = box();
    void interviewer.ask(choice, signal);
    await expect(interviewer.ask(choice, signal)).rejects.toThrow(
      'another question with the id g.1.1.1 is open',
    );
  });

  test('that cannot be written breaks the interviewer', async () => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, 'file'), '');
    await expect(box(path.join(directory, 'file/below')).interviewer.ask(choice, signal)).rejects.toThrow();
  });
});

test('each of two programs that give the same answer knows what became of its own', async () => {
  const { directory, interviewer, until } = box(temporaryDirectory());
  const files = questionFiles(directory, choice.id);
  const answer = { value: 'A', selected_option: { key: 'A', label: '[A] Approve' } };
  const first = leaveAnswer(directory, choice, answer);
  expect(await interviewer.ask(choice, signal)).toEqual(answer);
  await until();
  const second = leaveAnswer(directory, choice, answer);
  if (first === undefined || second === undefined) throw new Error('nobody else answers');
  void interviewer.ask({ ...choice, id: 'h.2.1.1' }, signal);
  await until('g.1.1.1.rejected', 'h.2.1.1.json');
  expect(rejectionOf(first, files)).toBeUndefined();
  expect(rejectionOf(second, files)).toContain('it came too late');
});

test.each(['../../etc/passwd', 'a/b', '.hidden', '', 'x.answer', 'ä ö', 'x'.repeat(300), '__proto__'])(
  'the id %j becomes a file in the directory',
  async (id) => {
    const { interviewer, names, read, write } = box();
    const question: Question = { ...choice, id };
    const answer = interviewer.ask(question, signal);
    const [name = ''] = names();
    expect(names()).toHaveLength(1);
    expect(name).toMatch(/^[\w~-][\w~.-]{0,130}\.json$/);
    expect(JSON.parse(read(name))).toEqual(question);
    write(name.replace(/json$/, 'answer'), 'A\n');
    expect((await answer)?.value).toBe('A');
  },
);

test('ids that look alike are different files', () => {
  const { interviewer, names } = box();
  for (const id of ['a/b', 'a b', 'a:b']) void interviewer.ask({ ...choice, id }, signal);
  expect(new Set(names()).size).toBe(3);
});

test('when a run is over, its questions go; answers that nobody took are noted', async () => {
  const { directory, write, names, read } = box(temporaryDirectory());
  write('g.1.1.1.json', JSON.stringify(choice));
  write('g.1.1.1.answer.json', '"A"');
  clearQuestions(directory, 'the run is over');
  expect(names()).toEqual(['g.1.1.1.rejected']);
  expect(read('g.1.1.1.rejected')).toBe('g.1.1.1.answer.json said "\\"A\\"": the run is over\n');
  clearQuestions(path.join(directory, 'missing'), 'the run is over');
});

test('87: a run that pauses at a gate is resumed later, with the same question and the answer that was left', async () => {
  const gate = pipeline(
    ...['g [shape=hexagon]', 'a', 'b', 'start -> g', 'g -> a [label="Yes"]', 'g -> b [label="No"]'],
    ...['a -> exit', 'b -> exit'],
  );
  const place = temporaryDirectory();
  const runDirectory = path.join(place, 'r');
  const questions = path.join(runDirectory, 'open-questions');
  const names = (): readonly string[] => (existsSync(questions) ? readdirSync(questions) : []);
  const untilAsked = () =>
    vi.waitFor(() => expect(names()).toEqual(['g.1.1.1.json']), { timeout: 20_000, interval: 10 });
  const pause = new AbortController();
  const options = { runDirectory, interviewer: waitingInterviewer };
  const run = runOnDisk(gate, { ...options, pauseSignal: pause.signal });
  await untilAsked();
  pause.abort();
  expect((await run).result).toMatchObject({ status: 'paused', path: ['start', 'g'] });
  const question = readFileSync(path.join(questions, 'g.1.1.1.json'), 'utf8');

  const stillPaused = new AbortController();
  const second = resumePipeline(runDirectory, {
    interviewer: waitingInterviewer,
    pauseSignal: stillPaused.signal,
  });
  await turns(20);
  stillPaused.abort();
  expect((await second).result.status).toBe('paused');
  expect(readFileSync(path.join(questions, 'g.1.1.1.json'), 'utf8')).toBe(question);

  writeFileSync(path.join(questions, 'g.1.1.1.answer'), 'No\n');
  const { result: final } = await resumePipeline(runDirectory, {});
  expect(final).toMatchObject({ status: 'success', path: ['start', 'g', 'b', 'exit'] });
  expect(existsSync(questions)).toBe(false);
});
