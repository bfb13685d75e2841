import type { RunEvent } from '../machine/event.js';
import { apply } from '../view/fold/apply.js';
import { emptyView, type RunView } from '../view/fold/run-view.js';
import type { Batch, PlacedRecord, Receipt, Submission } from './durable-run.js';

/** Run of which a history tells: the one that was submitted, or a child of it. */
export interface HistoricRun extends Pick<Submission, 'pipeline' | 'manifest'> {
  readonly events: RunEvent[];
}

/** History of a run: a fold of the outputs of its durable steps. */
export class RunHistory {
  readonly submission: Submission;
  readonly view: RunView = emptyView();
  readonly receipts = new Map<string, Receipt>();
  /** Child runs by their directory, relative to that of the run. */
  readonly children = new Map<string, HistoricRun>();
  readonly #events: RunEvent[] = [];
  #recoveries = 0;
  #problem: string | undefined;

  constructor(submission: Submission) {
    this.submission = submission;
  }

  get run(): HistoricRun {
    return { ...this.submission, events: this.#events };
  }

  /** Number of times that a worker took the run over since it last got anywhere. */
  get recoveries(): number {
    return this.#recoveries;
  }

  /** True if the run waits for a person who lets it continue: paused, and not by a worker that was leaving. */
  get rests(): boolean {
    return (
      this.#problem !== undefined || (this.view.status === 'paused' && this.view.pausedReason !== handedOver)
    );
  }

  /** Problem of a worker that stops the run; undefined if there is none. */
  get problem(): string | undefined {
    return this.#problem;
  }

  add({ records, receipts = [], problem }: Batch): void {
    if (records.length > 0 || problem !== undefined) this.#problem = problem;
    for (const receipt of receipts) this.receipts.set(receipt.id, receipt);
    for (const record of records) {
      if (record.place !== undefined) this.#addToChild(record.place, record);
      else this.#addToRun(record);
    }
  }

  #addToRun({ inputs, events }: PlacedRecord): void {
    for (const event of events) {
      this.#events.push(event);
      apply(this.view, event);
    }
    for (const { kind } of inputs) {
      if (kind === 'resume') this.#recoveries += 1;
      else if (kind !== 'log' && kind !== 'checkpoint_saved') this.#recoveries = 0;
    }
  }

  #addToChild(place: string, { files, events }: PlacedRecord): void {
    this.#recoveries = 0;
    const known = this.children.get(place);
    // A stage that is visited again starts another child in the same place.
    const isNew = known === undefined || events[0]?.seq === 1;
    const given = files ?? known;
    if (given === undefined) throw new Error(`the child run in "${place}" has no pipeline`);
    const { pipeline, manifest } = given;
    this.children.set(place, { pipeline, manifest, events: [...(isNew ? [] : known.events), ...events] });
  }
}

/** Reason of the pause by which a worker hands a run over to others. */
export const handedOver = 'the worker is leaving; another one continues';
