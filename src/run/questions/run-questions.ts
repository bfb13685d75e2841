import type { Answer, Question } from '../../machine/interview.js';
import type { PersonWords } from '../../machine/person-words.js';
import type { StageWords, SteeredStage } from '../driver/stage-words.js';
import { AnswerFiles, type LaidQuestion, type LaidQuestionHost } from './answer-files.js';
import { type AskingChild, questionOfChild } from './child-interviewer.js';
import { matchAnswer } from './match-answer.js';

/** Question that waits for an answer. */
export interface WaitingQuestion {
  readonly question: Question;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

/** Machine of one run, for sources of answers. */
export interface AskingMachine {
  readonly waiting: readonly WaitingQuestion[];
  /** True if the run does nothing else, so that the process may release it (`onlyAsks`). */
  readonly onlyAsks: boolean;
  /**
   * Answers a question.
   * @returns the answer as the journal has it; undefined if the question is not open, or another answer
   * counts
   * @throws RunError `storage` if the answer cannot be written
   */
  answer(questionId: string, answer: Answer): Promise<Answer | undefined>;
}

/**
 * Result of an answer.
 * - `taken`: it is in the journal, and counts
 * - `unfit`: it is not one of the choices, and the question stays open
 * - `not_open`: the question is not asked, or no longer: it was answered elsewhere
 */
export type AnswerReceipt =
  | { readonly kind: 'taken'; readonly question: Question; readonly answer: Answer }
  | { readonly kind: 'unfit'; readonly question: Question }
  | { readonly kind: 'not_open' };

interface Asking {
  readonly machine: AskingMachine;
  /** Words to its running stages. */
  readonly words: StageWords;
  /** Prefix of the names of its stages: `<node>/` of a run that a node has started. */
  readonly prefix: string;
  /** Changes a question into the form for the people of the top run. */
  readonly named: (question: Question) => Question;
}

/** State that a run shares with the runs below it. */
interface Shared {
  readonly asking: Set<Asking>;
  files: AnswerFiles | undefined;
  setConnected: () => void;
}

/**
 * Open questions of a run and of those that its stages have started. An answer, from any source, goes to
 * the machine that asks: the first one counts, by the decision of that machine.
 */
export class RunQuestions {
  /** Resolves when the run takes answers. */
  readonly connected: Promise<void>;
  readonly #shared: Shared;
  readonly #named: (question: Question) => Question;
  readonly #isChild: boolean;
  readonly #prefix: string;

  constructor(above?: RunQuestions, child?: AskingChild) {
    this.#isChild = above !== undefined;
    if (above !== undefined && child !== undefined) {
      const { nodeId, runId } = child;
      this.#shared = above.#shared;
      this.#named = (question) => above.#named(questionOfChild(question, nodeId, runId()));
      this.#prefix = `${above.#prefix}${nodeId}/`;
      this.connected = above.connected;
      return;
    }
    const shared: Shared = { asking: new Set(), files: undefined, setConnected: () => undefined };
    this.#shared = shared;
    this.#named = (question) => question;
    this.#prefix = '';
    this.connected = new Promise((resolve) => {
      shared.setConnected = resolve;
    });
  }

  /** Questions of a child run, among those of this one. */
  below(child: AskingChild): RunQuestions {
    return new RunQuestions(this, child);
  }

  /**
   * Connects a machine to answers, and its stages to words of people.
   * @returns a function that ends it
   */
  connect(machine: AskingMachine, words: StageWords): () => void {
    const asking = { machine, words, named: this.#named, prefix: this.#prefix };
    this.#shared.asking.add(asking);
    this.#shared.setConnected();
    return () => this.#shared.asking.delete(asking);
  }

  /**
   * Takes answers from files too; a child run asks in the directory of the run above.
   * @returns a function that ends it
   */
  watchFiles(directory: string): () => void {
    if (this.#isChild) return () => undefined;
    const files = new AnswerFiles(directory);
    this.#shared.files = files;
    return () => files.close();
  }

  /** Writes a question for other processes, and looks for their answers. */
  lay(question: Question, host: LaidQuestionHost): LaidQuestion | undefined {
    return this.#shared.files?.open(this.#named(question), host);
  }

  /** True if nothing is under way but questions, of stages that do nothing else. */
  get onlyAsks(): boolean {
    const { asking } = this.#shared;
    return asking.size > 0 && [...asking].every(({ machine }) => machine.onlyAsks);
  }

  get waiting(): readonly WaitingQuestion[] {
    return [...this.#shared.asking].flatMap(({ machine, named }) =>
      machine.waiting.map(({ question, askedAt }) => ({ question: named(question), askedAt })),
    );
  }

  /**
   * Answers an open question, as a person types it.
   * @param name its id, or the stage that asks; `<node>/<stage>` of a run that a node has started
   * @throws RunError `storage` if the answer cannot be written
   */
  async answer(name: string, text: string): Promise<AnswerReceipt> {
    const open = [...this.#shared.asking].flatMap(({ machine, named }) =>
      machine.waiting.map(({ question: { id }, question }) => ({ machine, id, question: named(question) })),
    );
    const asked =
      open.find(({ question }) => question.id === name) ??
      open.find(({ question }) => question.stage === name);
    if (asked === undefined) return { kind: 'not_open' };
    const { machine, id, question } = asked;
    const given = matchAnswer(question, text);
    if (given === undefined) return { kind: 'unfit', question };
    const answer = await machine.answer(id, given);
    return answer === undefined ? { kind: 'not_open' } : { kind: 'taken', question, answer };
  }

  /**
   * Says something to the model of a running stage.
   * @param to `<node>/<stage>` for a stage of a run that a node has started
   * @returns the reason why it takes no words, as a sentence; undefined if they are on their way into the journal
   */
  steer(to: SteeredStage, words: PersonWords): string | undefined {
    const places = [...this.#shared.asking].filter(({ prefix }) => to.stage.startsWith(prefix));
    const [place] = places.sort((one, other) => other.prefix.length - one.prefix.length);
    if (place === undefined) return `"${to.stage}" is not running now`;
    return place.words.steer({ ...to, stage: to.stage.slice(place.prefix.length) }, words);
  }
}
