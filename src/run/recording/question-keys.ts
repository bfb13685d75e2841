import type { RunEvent, StageStarted } from '../../machine/event.js';
import { mainCursor } from '../../machine/state.js';
import { attemptKey } from './settled-attempts.js';
import { lineOf, VisitKeys } from './visit-keys.js';

/** Place of a question in a run. */
export interface QuestionKey {
  /** Key independent of other branches. */
  readonly own: string;
  /** Key in the words of the journal, which counts visits over all branches. */
  readonly journal: string;
  /** Branch and node that ask. */
  readonly line: string;
}

/** Keys of the questions in a journal, which follow from the attempts that ask them. */
export class QuestionKeys {
  readonly #visits = new VisitKeys();
  /** Attempts under way by branch. */
  readonly #attempts = new Map<string, StageStarted>();
  readonly #keys = new Map<string, QuestionKey>();

  /** Adds the next event of the journal. */
  note(event: RunEvent): void {
    this.#visits.note(event);
    if (event.type === 'StageStarted') this.#attempts.set(event.branch ?? mainCursor, event);
    if (event.type !== 'InterviewStarted') return;
    const attempt = this.#attempts.get(event.branch ?? mainCursor);
    if (attempt === undefined) return;
    const { id } = event.question;
    const asker = { ...attempt, place: this.#visits.place };
    const own = this.#visits.attemptKey(asker);
    const which = nameInAttempt(id, attempt);
    this.#keys.set(id, {
      own: `${own}.${which}`,
      journal: `${attemptKey(asker)}.${which}`,
      line: lineOf(own),
    });
  }

  /** @param id of a question that the journal has; undefined for another one */
  keyOf(id: string): QuestionKey | undefined {
    return this.#keys.get(id);
  }
}

/** Id of a question without the number of its stage, which depends on other branches. */
function nameInAttempt(id: string, { node_id: nodeId, index, attempt }: StageStarted): string {
  const before = `${nodeId}.${index}.${attempt}.`;
  return id.startsWith(before) ? id.slice(before.length) : id;
}
