import { createHash } from 'node:crypto';
import type { BackendCall } from '../../handlers/codergen-backend.js';
import { StageSuspension } from '../../handlers/handler.js';
import { answerInWords, personQuestion, readAskPerson } from '../ask-person.js';
import type { VerdictReply } from './verdict-register.js';

/**
 * Asks the questions of an agent (SEMANTICS 129). An agent that was interrupted asks again in its own words or in the same: the
 * same question receives the answer that was given meanwhile.
 */
export class AskRegister {
  readonly #ask: BackendCall['ask'];
  readonly #times = new Map<string, number>();
  readonly #ending = new AbortController();
  #open = 0;

  constructor(ask: BackendCall['ask']) {
    this.#ask = ask;
  }

  /** True while a person is awaited. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  /** Aborted with the reason why the agent must be stopped at once, instead of continuing without an answer. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  async take(given: unknown): Promise<VerdictReply> {
    const reading = readAskPerson(given);
    if (reading.kind === 'invalid')
      return { isError: true, text: `The question was not asked: ${reading.problem}.` };
    const { input } = reading;
    const hash = createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 8);
    const times = (this.#times.get(hash) ?? 0) + 1;
    this.#times.set(hash, times);
    this.#open += 1;
    try {
      const answer = await this.#ask(personQuestion(input, `ask-${hash}${times === 1 ? '' : `-${times}`}`));
      return { isError: false, text: answerInWords(answer) };
    } catch (error) {
      if (error instanceof StageSuspension) {
        this.#ending.abort(error);
        return new Promise(() => undefined);
      }
      return { isError: true, text: 'The question was withdrawn: nobody can answer it now.' };
    } finally {
      this.#open -= 1;
    }
  }
}
