import type { RunEvent } from '../machine/event.js';
import type { Input, ReportNumber } from '../machine/input.js';
import { nameInParent } from '../run/questions/child-interviewer.js';
import type { Manifest } from '../run-directory/manifest.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { lastingSettings, settingsOfData } from '../run-directory/settings-data.js';
import { apply } from '../view/fold/apply.js';
import { emptyView, type RunView, restoredView } from '../view/fold/run-view.js';
import { isOver } from '../view/run-status.js';
import type { AnswerCounts } from './batch-log.js';
import { type DeathCounts, Deaths } from './deaths.js';
import type { Batch, PlacedRecord, Receipt, Submission } from './durable-run.js';
import type { Content } from './files/file-store.js';
import { type Directory, FileTree } from './files/file-tree.js';
import { type JournalPast, longerPast, noPast } from './journal-past.js';
import { restsAs } from './rests-as.js';

/** Run of which a history tells: the one that was submitted, or a child of it. */
export interface HistoricRun extends Pick<Submission, 'pipeline' | 'manifest'> {
  /** Journal before these events: that of earlier segments; empty for readers, who have all events. */
  readonly past: JournalPast;
  readonly events: RunEvent[];
  readonly view: RunView;
}

type SeededRun = Omit<HistoricRun, 'events'>;

/** What a history has come to, without the events: those are in the past of each run. Plain data. */
export interface HistorySeed {
  readonly run: Omit<SeededRun, 'pipeline'>;
  readonly children: ReadonlyMap<string, SeededRun>;
  readonly files: Directory;
  readonly receipts: ReadonlyMap<string, Receipt>;
  readonly deaths: DeathCounts;
  readonly problem: string | undefined;
  readonly settings: RecordedSettings;
  readonly reports: ReadonlyMap<string, ReportNumber>;
  readonly answered: AnswerCounts;
}

/** History of a run: a fold of the outputs of its durable steps. */
export class RunHistory {
  readonly submission: Submission;
  readonly view: RunView;
  readonly receipts = new Map<string, Receipt>();
  /** Latest reports of attempts on other workers, by the id of the attempt there. */
  readonly reports = new Map<string, ReportNumber>();
  /** Numbers of the answers that stages have had since a person has resumed the run, by their names in a script. */
  readonly answered = new Map<string, number>();
  /** Child runs by their directory, relative to that of the run. */
  readonly children = new Map<string, HistoricRun>();
  /** Files of the run, and of those below it. */
  readonly files: FileTree;
  #past = noPast;
  #events: RunEvent[] = [];
  #deaths = new Deaths();
  #problem: string | undefined;
  #inputs = 0;
  #manifest: string;
  #settings: RecordedSettings;

  /** Last event of another run that this one shares; 0 without one. */
  readonly #shared: number;

  /** @param seed what the history had come to when its last segment ended */
  constructor(submission: Submission, seed?: HistorySeed) {
    this.submission = submission;
    this.#manifest = seed?.run.manifest ?? submission.manifest;
    this.#settings = seed?.settings ?? {};
    this.view = seed === undefined ? emptyView() : restoredView(seed.run.view);
    this.files = new FileTree(seed?.files);
    if (submission.shared !== undefined && seed === undefined) this.add(submission.shared.batch);
    this.#shared = submission.shared?.batch.records.findLast(isOfRun)?.events.at(-1)?.seq ?? 0;
    this.#deaths = new Deaths(seed?.deaths);
    this.#inputs = 0;
    if (seed === undefined) return;
    this.#past = seed.run.past;
    this.#problem = seed.problem;
    for (const [id, receipt] of seed.receipts) this.receipts.set(id, receipt);
    for (const [stage, report] of seed.reports) this.reports.set(stage, report);
    for (const [name, count] of seed.answered) this.answered.set(name, count);
    for (const [place, run] of seed.children)
      this.children.set(place, { ...run, view: restoredView(run.view), events: [] });
  }

  get run(): HistoricRun {
    const { pipeline } = this.submission;
    return { pipeline, manifest: this.#manifest, past: this.#past, events: this.#events, view: this.view };
  }

  /** Number of inputs, those of children included, since the last segment ended. */
  get inputs(): number {
    return this.#inputs;
  }

  /** Reason why no worker should try again, because others have died here; undefined if there is none. */
  get verdict(): string | undefined {
    return this.#deaths.verdict;
  }

  /** True for a fork that has not been resumed: all its events are those of another run. */
  get isNewFork(): boolean {
    return this.submission.shared !== undefined && this.view.seq === this.#shared;
  }

  /** True if the run has ended. */
  get isOver(): boolean {
    return isOver(this.view.status) && !this.isNewFork;
  }

  /** True if the run waits for a person who lets it continue: paused, and not by a worker that was leaving. */
  get rests(): boolean {
    return this.isNewFork || restsAs(this.view, this.#problem);
  }

  /** Problem of a worker that stops the run; undefined if there is none. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Settings of the call that has resumed the run last that matter to a worker that takes it over. */
  get settings(): RecordedSettings {
    return this.#settings;
  }

  add({ records, receipts = [], resumed, problem, files = [], ends }: Batch): void {
    if (records.length > 0 || problem !== undefined) this.#problem = problem;
    if (resumed !== undefined) {
      this.#settings = lastingSettings(settingsOfData(resumed.settings));
      this.#manifest = resumed.manifest ?? this.#manifest;
      this.answered.clear();
    }
    for (const receipt of receipts) this.receipts.set(receipt.id, receipt);
    for (const record of records) {
      for (const input of record.inputs) this.#addReport(input);
      if (record.place !== undefined) this.#addToChild(record.place, record);
      else this.#addToRun(record);
      this.#countAnswers(record);
    }
    for (const change of files) this.files.apply(change);
    this.#inputs = ends ? 0 : this.#inputs + inputsOf({ records });
  }

  /** True if records begin where the history of their runs ends: those of a worker that has read anything else do not. */
  isContinuedBy(records: readonly PlacedRecord[]): boolean {
    const ends = new Map<string | undefined, number>();
    return records.every(({ place, events }) =>
      events.every(({ seq }) => {
        const isNewChild = place !== undefined && seq === 1;
        const end = isNewChild ? 0 : (ends.get(place) ?? this.#endOf(place));
        ends.set(place, seq);
        return seq === end + 1;
      }),
    );
  }

  /**
   * What the history has come to, and the contents to store.
   * @param folded journal of the run up to now; without it, whoever takes the run over reads more
   */
  fold(folded?: Content): { readonly seed: HistorySeed; readonly parts: readonly Content[] } {
    const parts: Content[] = folded === undefined ? [] : [folded];
    const pastOf = (journal: Pick<HistoricRun, 'past' | 'events'>, fold?: Content): JournalPast => {
      if (journal.events.length === 0) return journal.past;
      const { past, part } = longerPast(journal, fold);
      parts.push(part);
      return past;
    };
    const children = [...this.children].map(([place, { pipeline, manifest, view, ...journal }]) => {
      const run: SeededRun = { pipeline, manifest, view, past: pastOf(journal) };
      return [place, run] as const;
    });
    const seed: HistorySeed = {
      run: { manifest: this.#manifest, view: this.view, past: pastOf(this.run, folded) },
      children: new Map(children),
      files: this.files.root,
      receipts: this.receipts,
      deaths: this.#deaths.counts,
      problem: this.#problem,
      settings: this.#settings,
      reports: this.reports,
      answered: this.answered,
    };
    return { seed, parts };
  }

  /** Forgets events that are stored with the end of a segment. */
  forget(seed: HistorySeed): void {
    this.#past = seed.run.past;
    this.#events = [];
    for (const [place, { past }] of seed.children) {
      const run = this.children.get(place);
      if (run !== undefined) this.children.set(place, { ...run, past, events: [] });
    }
  }

  /** Last event of the run, or of a child of it. */
  #endOf(place: string | undefined): number {
    return place === undefined ? this.view.seq : (this.children.get(place)?.view.seq ?? 0);
  }

  #countAnswers({ place = '', events }: PlacedRecord): void {
    for (const event of events) {
      if (event.type !== 'InterviewCompleted' && event.type !== 'InterviewTimeout') continue;
      const name = this.#nameOf(place, event.stage);
      this.answered.set(name, (this.answered.get(name) ?? 0) + 1);
    }
  }

  /** Name of a stage in a script of the run. @param place of the child that it is a stage of; empty for the run itself */
  #nameOf(place: string, stage: string): string {
    const around = [...this.children].filter(([other]) => `${place}/`.startsWith(`${other}/`));
    const innermostFirst = around.sort(([one], [other]) => other.length - one.length);
    return innermostFirst.reduce(
      (name, [, { manifest }]) => nameInParent(childOf(manifest).parent?.node_id ?? '', name),
      stage,
    );
  }

  #addReport({ report }: Input): void {
    if (report !== undefined) this.reports.set(report.stage, report);
  }

  #addToRun(record: PlacedRecord): void {
    for (const event of record.events) {
      this.#events.push(event);
      apply(this.view, event);
    }
    this.#deaths.add(
      record,
      () => this.view,
      (nodeId) => runsChild(this.children.values(), nodeId),
    );
  }

  #addToChild(place: string, record: PlacedRecord): void {
    const { files, events } = record;
    const known = this.children.get(place);
    // A stage that is visited again starts another child in the same place.
    const isNew = known === undefined || events[0]?.seq === 1;
    if (isNew) {
      this.files.clear(place);
      for (const other of this.children.keys())
        if (other.startsWith(`${place}/`)) this.children.delete(other);
    }
    const given = files ?? known;
    if (given === undefined) throw new Error(`the child run in "${place}" has no pipeline`);
    const { pipeline, manifest } = given;
    const { past, view, events: before } = isNew ? newChild() : known;
    for (const event of events) {
      before.push(event);
      apply(view, event);
    }
    this.children.set(place, { pipeline, manifest, past, view, events: before });
    this.#deaths.add(
      record,
      () => view,
      (nodeId) => runsChild(this.#below(place), nodeId),
    );
  }

  #below(place: string): readonly HistoricRun[] {
    return [...this.children].flatMap(([other, run]) => (other.startsWith(`${place}/`) ? [run] : []));
  }
}

function newChild(): Pick<HistoricRun, 'past' | 'view' | 'events'> {
  return { past: noPast, view: emptyView(), events: [] };
}

/** Number of the inputs in a batch. */
export function inputsOf({ records }: Pick<Batch, 'records'>): number {
  return records.reduce((sum, { inputs }) => sum + inputs.length, 0);
}

function isOfRun({ place }: PlacedRecord): boolean {
  return place === undefined;
}

function runsChild(children: Iterable<HistoricRun>, nodeId: string): boolean {
  return [...children].some(({ manifest }) => childOf(manifest).parent?.node_id === nodeId);
}

/** Identity of a child run. */
export function childOf(manifest: string): Pick<Manifest, 'run_id' | 'parent'> {
  return JSON.parse(manifest);
}
