import { Chalk } from 'chalk';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { printable, printableJson } from '../../diagnostic/printable.js';
import type { ConversationEntry } from '../../handlers/conversation-entry.js';
import { followJournal } from '../../journal/follow-journal.js';
import type { RunEvent } from '../../machine/event.js';
import { readManifest } from '../../run-directory/manifest.js';
import { UsageError } from '../../setup/usage-error.js';
import { readEntries } from '../../view/conversation/read-entries.js';
import { narrowScope } from '../../view/fold/run-view.js';
import type { VisitRecord } from '../../view/fold/visit-record.js';
import { GrowingView } from '../../view/growing-view.js';
import { runPipelineOf } from '../../view/run-pipeline.js';
import { isOver } from '../../view/run-status.js';
import { exitCode } from '../exit-code.js';
import { type Io, usesColor } from '../io.js';
import { ConversationPrinter } from './conversation-printer.js';

export interface ConversationChoice {
  /** Stage; all stages by default. */
  readonly node: string | undefined;
  /** Visit of the stage; the latest one by default. */
  readonly visit: number | undefined;
  readonly attempt: number | undefined;
  readonly isJson: boolean;
  readonly isFull: boolean;
}

/**
 * Prints the conversations of stages with their models and agents (SEMANTICS 123): those of all visits, or of one visit of a stage.
 * @throws UsageError for a stage or a visit that the run does not have
 */
export function printConversations(directory: string, choice: ConversationChoice, io: Io): number {
  const session = new Session(directory, choice, io);
  session.update(true);
  return session.finish();
}

/** The same while the run is under way, until it ends or the signal is aborted; later visits are printed too. */
export async function followConversations(
  directory: string,
  choice: ConversationChoice,
  io: Io,
  stop: { readonly signal: AbortSignal; onIdle(last: RunEvent['type'] | undefined): void },
): Promise<number> {
  const session = new Session(directory, choice, io);
  session.update(false);
  const lines = followJournal(directory, stop.onIdle, stop.signal);
  for (let line = lines.next(); ; ) {
    // The entry of a reply comes a moment after its events, and the next event may be long in coming.
    const result = await withinMs(line, lookMs);
    session.update(false);
    if (result?.done) break;
    if (result !== undefined) line = lines.next();
  }
  if (stop.signal.aborted) return Number(stop.signal.reason);
  session.update(true);
  return session.finish();
}

/** Interval in milliseconds of looks at the conversations while the journal has nothing new. */
const lookMs = 250;

/** Result of some work; undefined if it takes longer. */
async function withinMs<Value>(work: Promise<Value>, milliseconds: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  return Promise.race([work, pause]).finally(() => clearTimeout(timer));
}

interface Open {
  readonly printer: ConversationPrinter;
  readonly title: string;
  next: number;
  hasTitle: boolean;
  isOver: boolean;
}

class Session {
  readonly #directory: string;
  readonly #choice: ConversationChoice;
  readonly #io: Io;
  readonly #nodes;
  readonly #view: GrowingView;
  readonly #open = new Map<number, Open>();
  #damaged = 0;
  #hasPrinted = false;

  constructor(directory: string, choice: ConversationChoice, io: Io) {
    this.#directory = directory;
    this.#choice = choice;
    this.#io = io;
    this.#nodes = runPipelineOf(directory).nodes;
    const scope = { ...narrowScope, nodes: this.#nodes, nodeId: choice.node, rows: Number.MAX_SAFE_INTEGER };
    this.#view = new GrowingView(directory, scope);
  }

  /** Prints what is new. */
  update(isLast: boolean): void {
    for (const visit of this.#visits(isLast)) this.#printVisit(visit, isLast);
  }

  finish(): number {
    if (!this.#hasPrinted)
      this.#io.stderr.write(`attractor: there is no conversation with a model or an agent${this.#mayCome}\n`);
    if (this.#damaged === 0) return exitCode.ok;
    this.#io.stderr.write(`attractor: damaged lines of conversations were skipped: ${this.#damaged}\n`);
    return exitCode.integrity;
  }

  /** Words about conversations that are on other workers. */
  get #mayCome(): string {
    const { spread } = readManifest(this.#directory).options;
    if (spread !== true || isOver(this.#view.read().status)) return '';
    return ' yet; stages of this run work on other workers (--spread), and their conversations come when they end or pause';
  }

  #visits(isLast: boolean): readonly VisitRecord[] {
    const { node, visit } = this.#choice;
    const { visits } = this.#view.read().visits;
    if (node === undefined) return visits;
    if (visits.length === 0 && isLast) this.#unknown(node);
    if (visit === undefined) {
      const earlier = visits.slice(0, -1).map((one) => one.visit);
      if (isLast && this.#open.size === 0 && earlier.length > 0)
        this.#io.stderr.write(`attractor: earlier visits: --visit ${earlier.slice(-20).join(', ')}\n`);
      // One that has begun to be printed is printed to its end.
      return visits.filter((one) => this.#open.has(one.index) || one === visits.at(-1));
    }
    const chosen = visits.filter((one) => one.visit === visit);
    if (chosen.length === 0 && isLast)
      throw new UsageError(`stage "${node}" has no visit ${visit}: there are visits 1 to ${visits.length}`);
    return chosen;
  }

  #unknown(node: string): never {
    const known = [...this.#nodes.keys()];
    if (known.includes(node)) throw new UsageError(`stage "${node}" has not been visited`);
    throw new UsageError(`this run has no stage "${node}"${didYouMean(node, known)}`);
  }

  #printVisit(visit: VisitRecord, isLast: boolean): void {
    const open = this.#openFor(visit);
    if (open.isOver) return;
    const isOver = isLast || visit.endedAt !== undefined;
    for (let hasMore = true; hasMore; ) {
      const page = readEntries(this.#directory, visit, open.next);
      hasMore = page.hasMore;
      open.next = page.next;
      this.#damaged += page.damaged;
      this.#printEntries(open, page.entries, isOver && !hasMore);
    }
    open.isOver = isOver;
  }

  #printEntries(open: Open, entries: readonly ConversationEntry[], isOver: boolean): void {
    if (entries.length > 0) this.#hasPrinted = true;
    if (this.#choice.isJson) {
      for (const entry of entries) this.#io.stdout.write(`${printableJson(JSON.stringify(entry))}\n`);
      return;
    }
    if (entries.length > 0 && !open.hasTitle) {
      open.hasTitle = true;
      this.#io.stdout.write(`${open.title}\n`);
    }
    open.printer.add(entries, isOver);
  }

  #openFor({ index, nodeId, visit, branch }: VisitRecord): Open {
    const known = this.#open.get(index);
    if (known !== undefined) return known;
    const chalk = new Chalk({ level: usesColor(this.#io, this.#io.stdout) ? 1 : 0 });
    const { attempt, isFull } = this.#choice;
    const print = (line: string): void => void this.#io.stdout.write(`${line}\n`);
    const where = [visit > 1 ? `visit ${visit}` : '', branch === undefined ? '' : `branch ${branch}`];
    const words = [nodeId, ...where.filter((part) => part !== '')].join(', ');
    const open: Open = {
      printer: new ConversationPrinter({ chalk, isFull, attempt, print }),
      title: chalk.inverse(printable(` ${words} `)),
      next: 0,
      hasTitle: false,
      isOver: false,
    };
    this.#open.set(index, open);
    return open;
  }
}
