import { apply } from '../view/fold/apply.js';
import { emptyView, narrowScope, type RunView } from '../view/fold/run-view.js';
import { isOver } from '../view/run-status.js';
import type { Batch, PlacedRecord } from './durable-run.js';
import { restsAs } from './rests-as.js';

/** Glance at a run: a fold of its durable steps like its history, but only of what a list says, so that its size does not depend on their number. */
export class RunGlance {
  readonly view = emptyView(narrowScope);
  readonly #children = new Map<string, RunView>();
  #problem: string | undefined;
  /** Last event of another run that this one shares; undefined without one. */
  readonly #shared: number | undefined;

  /** @param shared beginning that a fork shares with another run */
  constructor(shared?: Batch) {
    if (shared === undefined) return;
    this.add(shared);
    this.#shared = this.view.seq;
  }

  /** True if the run waits for a person who lets it continue. */
  get rests(): boolean {
    // A fork that has not been resumed rests, too.
    return this.view.seq === this.#shared || restsAs(this.view, this.#problem);
  }

  /** Problem of a worker that stops the run; undefined if there is none. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Number of open questions, those of child runs included. */
  get questions(): number {
    const views = [this.view, ...this.#children.values()];
    return views.reduce((sum, { questions, status }) => sum + (isOver(status) ? 0 : questions.size), 0);
  }

  add({ records, problem }: Batch): void {
    if (records.length > 0 || problem !== undefined) this.#problem = problem;
    for (const record of records) {
      const view = this.#viewOf(record);
      for (const event of record.events) apply(view, event);
    }
  }

  #viewOf({ place, events }: PlacedRecord): RunView {
    if (place === undefined) return this.view;
    const known = this.#children.get(place);
    // A stage that is visited again starts another child in the same place.
    if (known !== undefined && events[0]?.seq !== 1) return known;
    const view = emptyView(narrowScope);
    this.#children.set(place, view);
    return view;
  }
}
