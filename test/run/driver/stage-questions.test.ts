import { expect, test } from 'vitest';
import { decide } from '../../../src/machine/decide.js';
import type { Effect } from '../../../src/machine/effect.js';
import type { InputBody } from '../../../src/machine/input.js';
import type { Question } from '../../../src/machine/interview.js';
import { initialState, mainCursor, type RunState } from '../../../src/machine/state.js';
import { systemClock } from '../../../src/run/driver/clock.js';
import { type QuestionHost, StageQuestions } from '../../../src/run/driver/stage-questions.js';
import { heldInterviewer, turns } from '../../support/interviewers.js';
import { pipeline, programOf } from '../harness.js';

const question: Question = { id: 'g.1.1.1', text: '?', type: 'FREEFORM', options: [], stage: 'g' };

/** A machine whose effects wait until they are performed, as while the journal is being flushed. */
class HeldHost implements QuestionHost {
  readonly #program = programOf(pipeline('g', 'start -> g -> exit'));
  #state = initialState;
  #effects: Effect[] = [];

  state(): RunState {
    return this.#state;
  }

  onlyAsks(): boolean {
    return false;
  }

  dispatch(body: InputBody): void {
    const { state, effects } = decide(this.#program, this.#state, { ...body, now: 1, random: 0.5 });
    this.#state = state;
    this.#effects.push(...effects);
  }

  warn(): void {}

  takeEffects(): readonly Effect[] {
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  /** @returns the attempt of the stage that is to ask */
  begin() {
    this.dispatch({ kind: 'start', runId: 'run', graphHash: 'hash', inputs: {} });
    const begun = this.#attempt();
    this.dispatch({ kind: 'stage_settled', ...begun, outcome: { status: 'success' } });
    return this.#attempt();
  }

  #attempt() {
    const [effect] = this.takeEffects();
    if (effect?.kind !== 'execute') throw new Error('nothing is executed');
    return { cursor: mainCursor, index: effect.index, attempt: effect.attempt };
  }
}

function opened() {
  const host = new HeldHost();
  const interviewer = heldInterviewer();
  const questions = new StageQuestions({ interviewer, clock: systemClock }, host);
  const attempt = host.begin();
  const { signal } = new AbortController();
  const heard = questions.raise(attempt, question, signal);
  const perform = (): void => {
    for (const effect of host.takeEffects()) {
      if (effect.kind === 'ask') void questions.ask(effect, () => signal);
      if (effect.kind === 'deliver') questions.deliver(effect);
    }
  };
  return { interviewer, questions, heard, perform };
}

test('an answer that comes before its question is on the disk counts, and nobody is asked any more', async () => {
  const { interviewer, questions, heard, perform } = opened();
  expect(questions.waiting).toMatchObject([{ question: { id: question.id } }]);
  const answer = questions.answer(question.id, { value: 'early' });
  const late = questions.answer(question.id, { value: 'late' });
  let isTold = false;
  void answer.then(() => {
    isTold = true;
  });
  expect(await late).toBeUndefined();
  await turns();
  expect(isTold).toBe(false);
  perform();
  expect(await answer).toEqual({ value: 'early' });
  expect(await heard).toEqual({ value: 'early' });
  expect(interviewer.asked).toEqual([]);
});

test('an answer that the machine has not taken is not said to be, when another has', async () => {
  const { interviewer, questions, heard, perform } = opened();
  perform();
  await turns();
  interviewer.answer(0, { value: 'first' });
  await turns();
  expect(await questions.answer(question.id, { value: 'second' })).toBeUndefined();
  perform();
  expect(await heard).toMatchObject({ value: 'first' });
});

test.each([
  ['the run is over for this process', undefined],
  ['something broke it off', new Error('the disk is full')],
])('an answer that is not written down before %s is not said to be taken', async (_name, error) => {
  const { questions, heard } = opened();
  heard.catch(() => undefined);
  const answer = questions.answer(question.id, { value: 'early' });
  questions.close(error);
  if (error === undefined) expect(await answer).toBeUndefined();
  else await expect(answer).rejects.toBe(error);
  expect(questions.waiting).toEqual([]);
  expect(await questions.answer(question.id, { value: 'later' })).toBeUndefined();
});
