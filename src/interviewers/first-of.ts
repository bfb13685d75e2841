import { messageOf } from '../engine/handlers/error-category.js';
import type { Answer, Question } from '../engine/machine/interview.js';
import { inform } from '../engine/runtime/inform.js';
import { type Interviewer, questionSettled } from '../engine/runtime/interviewer.js';
import { isFittingAnswer } from '../engine/runtime/is-fitting-answer.js';
import { readAnswer } from '../engine/runtime/read-answer.js';

/**
 * Puts every question to several interviewers at once. The first answer that fits counts, and the others are told that the
 * question is settled. An answer that does not fit counts only when no other is to come, and nobody answers only when all
 * say so; an interviewer that breaks leaves the question to the others.
 */
export function firstOf(...interviewers: readonly Interviewer[]): Interviewer {
  return {
    ask: (question, signal) => new Race(interviewers, question, signal).result,
    inform(message, stage) {
      for (const interviewer of interviewers) inform(interviewer, message, stage);
    },
  };
}

/** One question that several interviewers are at. */
class Race {
  readonly result: Promise<Answer | undefined>;
  readonly #question: Question;
  readonly #settled = new AbortController();
  readonly #asked: Set<Interviewer>;
  #resolve: (answer: Answer | undefined) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #unfit: Answer | undefined;
  #broken: { readonly error: unknown } | undefined;

  constructor(interviewers: readonly Interviewer[], question: Question, signal: AbortSignal) {
    this.#question = question;
    this.#asked = new Set(interviewers);
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const unwanted = AbortSignal.any([signal, this.#settled.signal]);
    for (const interviewer of this.#asked) void this.#ask(interviewer, unwanted);
    this.#closeWhenAllGaveUp();
  }

  async #ask(interviewer: Interviewer, unwanted: AbortSignal): Promise<void> {
    try {
      const answer = readAnswer(this.#question, await interviewer.ask(this.#question, unwanted));
      if (answer !== undefined && isFittingAnswer(this.#question, answer)) return this.#win(answer);
      this.#unfit ??= answer;
    } catch (error) {
      this.#broken ??= { error };
      this.#tellOthers(interviewer, error);
    }
    this.#asked.delete(interviewer);
    this.#closeWhenAllGaveUp();
  }

  #win(answer: Answer): void {
    this.#resolve(answer);
    this.#settled.abort(questionSettled);
  }

  #tellOthers(broken: Interviewer, error: unknown): void {
    if (this.#settled.signal.aborted) return;
    const message = `one of the ways to answer this question does not work: ${messageOf(error)}`;
    for (const other of this.#asked) if (other !== broken) inform(other, message, this.#question.stage);
  }

  #closeWhenAllGaveUp(): void {
    if (this.#asked.size > 0) return;
    if (this.#unfit !== undefined || this.#broken === undefined) this.#resolve(this.#unfit);
    else this.#reject(this.#broken.error);
  }
}
