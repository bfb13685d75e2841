import type { RunEvent } from '../../machine/event.js';
import { mainCursor } from '../../machine/state.js';
import { visitKey } from '../driver/visit-key.js';

/** Visit of a stage's event, as a journal counts: over all branches. */
type JournalVisit = { readonly place: string; readonly node_id: string; readonly visit: number };

/** Keys of the attempts in a journal, independent of other branches (SEMANTICS 106). */
export class VisitKeys {
  readonly #keys = new Map<string, string>();
  /** Visits by branch and node, since the last restart. */
  readonly #visits = new Map<string, number>();
  #place = '';

  /** Adds the next event of the journal. */
  note(event: RunEvent): void {
    if (event.type === 'LoopRestarted') {
      this.#place = event.directory;
      this.#visits.clear();
    }
    if (event.type !== 'StageStarted') return;
    const name = nameOf({ place: this.#place, ...event });
    // A retry, or the same attempt again after the run was cut off.
    if (this.#keys.has(name)) return;
    const { node_id: nodeId, branch = mainCursor } = event;
    const line = JSON.stringify([branch, nodeId]);
    const lineVisit = (this.#visits.get(line) ?? 0) + 1;
    this.#visits.set(line, lineVisit);
    this.#keys.set(name, visitKey({ restart: this.#place, branch, nodeId, lineVisit }));
  }

  /** @throws Error if `note` was not called with the beginning of the visit */
  attemptKey(event: JournalVisit & { readonly attempt: number }): string {
    const visit = this.#keys.get(nameOf(event));
    if (visit === undefined) throw new Error(`visit ${event.visit} of "${event.node_id}" has not begun`);
    return attemptKeyOf(visit, event.attempt);
  }

  /** `restart-<n>` where the pipeline was restarted, or nothing. */
  get place(): string {
    return this.#place;
  }
}

function nameOf({ place, node_id, visit }: JournalVisit): string {
  return JSON.stringify([place, node_id, visit]);
}

export function attemptKeyOf(visit: string, attempt: number): string {
  return `${visit}#${attempt}`;
}

/** Key without the visit: the node and its line. */
export function lineOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}
