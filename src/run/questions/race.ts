import { abortWith } from '../../abort/abort.js';
import { messageOf } from '../../handlers/error-category.js';
import type { Answer, Question } from '../../machine/interview.js';
import { inform } from './inform.js';
import { type Interviewer, questionSettled, type Warn } from './interviewer.js';
import { isFittingAnswer } from './is-fitting-answer.js';
import { expectedAnswer } from './question-text.js';
import { readAnswer } from './read-answer.js';

/** Maximum of questions to an interviewer whose answers fit no choice. */
const mostAsks = 3;

/**
 * One question to several interviewers. The first answer that fits counts. One that does not is asked for
 * again, a bounded number of times, and then counts if no other is to come (SEMANTICS 55c).
 */
export class Race {
  readonly result: Promise<Answer | undefined>;
  readonly #question: Question;
  readonly #warn: Warn | undefined;
  /** Aborted when no answer is wanted any more. */
  readonly #unwanted = new AbortController();
  readonly #asked: Set<Interviewer>;
  #resolve: (answer: Answer | undefined) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #unfit: Answer | undefined;
  #broken: { readonly error: unknown } | undefined;

  constructor(interviewers: readonly Interviewer[], question: Question, signal: AbortSignal, warn?: Warn) {
    this.#question = question;
    this.#warn = warn;
    this.#asked = new Set(interviewers);
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const release = abortWith(this.#unwanted, signal);
    this.result.then(release, release);
    for (const interviewer of this.#asked) void this.#hear(interviewer);
    this.#closeWhenAllGaveUp();
  }

  async #hear(interviewer: Interviewer): Promise<void> {
    let answer: Answer | undefined;
    let problem: string | undefined;
    try {
      answer = await this.#askUntilFitting(interviewer);
      if (answer !== undefined && isFittingAnswer(this.#question, answer)) return this.#win(answer);
      this.#unfit ??= answer;
      if (answer !== undefined && this.#isUnfit(answer)) {
        problem = `one of the interviewers answered ${quoted(answer)}, which is not one of the choices`;
      }
    } catch (error) {
      this.#broken ??= { error };
      problem = `one interviewer for this question does not work: ${messageOf(error)}`;
    }
    this.#asked.delete(interviewer);
    this.#goOnWithout(problem);
    this.#closeWhenAllGaveUp();
  }

  /** @returns the last answer, even if it does not fit */
  async #askUntilFitting(interviewer: Interviewer): Promise<Answer | undefined> {
    const warn = this.#warn;
    for (let asks = 1; ; asks += 1) {
      const given = await interviewer.ask(this.#question, this.#unwanted.signal, warn);
      const answer = readAnswer(this.#question, given);
      if (answer === undefined || !this.#isUnfit(answer)) return answer;
      if (asks === mostAsks || this.#unwanted.signal.aborted) return answer;
      const { stage } = this.#question;
      const problem = `${quoted(answer)}, which is not one of the choices: answer with ${expectedAnswer(this.#question)}`;
      warn?.(`"${stage}" was answered ${problem}. It is asked again`);
      inform(interviewer, `the answer was ${problem}`, stage);
    }
  }

  /** True for an answer that does not fit; a missing one is not one. */
  #isUnfit(answer: Answer): boolean {
    return answer.value !== 'TIMEOUT' && !isFittingAnswer(this.#question, answer);
  }

  #win(answer: Answer): void {
    this.#resolve(answer);
    this.#unwanted.abort(questionSettled);
  }

  #goOnWithout(problem: string | undefined): void {
    if (this.#unwanted.signal.aborted || problem === undefined || this.#asked.size === 0) return;
    const { stage } = this.#question;
    this.#warn?.(`the question of "${stage}" waits for the other interviewers: ${problem}`);
    for (const other of this.#asked) inform(other, problem, stage);
  }

  #closeWhenAllGaveUp(): void {
    if (this.#asked.size > 0) return;
    if (this.#unfit !== undefined || this.#broken === undefined) this.#resolve(this.#unfit);
    else this.#reject(this.#broken.error);
  }
}

/** Beginning of an answer, for messages. */
function quoted({ value }: Answer): string {
  return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
}
