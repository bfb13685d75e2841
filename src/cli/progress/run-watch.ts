import path from 'node:path';
import type { Program } from '../../graph/program.js';
import type { RunEvent } from '../../machine/event.js';
import type { ChildOrigin, StageText } from '../../run/run.js';
import { activeVisits } from '../../view/active-stages.js';
import { itemsOf } from '../../view/enclosing-items.js';
import { apply } from '../../view/fold/apply.js';
import { emptyView, narrowScope, type RunView, type ViewScope } from '../../view/fold/run-view.js';
import type { UnderWay, VisitRecord } from '../../view/fold/visit-record.js';
import { placeOf } from '../../view/placed-stages.js';
import { readView } from '../../view/read-view.js';
import { type StageActivity, stageActivity } from '../../view/stage-activity.js';

/** Characters of a model's output that are kept for the end of a failed stage. */
const wordsKept = 4000;

/** Stage under way, for people who watch. */
export interface WatchedStage {
  /** As in scripts and answers, with the numbers of its items: `fix/review#3`. */
  readonly name: string;
  readonly handlerType: string;
  readonly state: UnderWay;
  /** Milliseconds in this state, by the clock of the run. */
  readonly elapsedMs: number;
  /** Milliseconds until its next attempt, or request. */
  readonly restMs: number | undefined;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly activity: StageActivity | undefined;
  /** Directory of its files; undefined if the directory of the run is not known. */
  readonly directory: string | undefined;
}

/** Run that is watched: the one that was started, or one below it. */
export interface WatchedRun {
  readonly view: RunView;
  readonly program: Program;
  /** Nodes that run it, from the outermost; none for the run that was started. */
  readonly path: readonly string[];
  readonly directory: string | undefined;
}

/** What a run, and those below it, do now: one view of each, by which all parts of the progress are fed. */
export class RunWatch {
  readonly #directoryOf: (runId: string) => string | undefined;
  readonly #now: () => number;
  readonly #program: Program;
  #main: WatchedRun | undefined;
  readonly #children = new Map<string, WatchedRun>();
  /** Time at which the last event arrived, and the one that it has: a simulation has its own clock. */
  #arrived = 0;
  #lastEventTime = '';

  /**
   * @param directoryOf directory of the run with this id; undefined if it is not known
   * @param now milliseconds since 1970
   */
  constructor(
    program: Program,
    directoryOf: ((runId: string) => string | undefined) | undefined,
    now: () => number,
  ) {
    this.#program = program;
    this.#directoryOf = directoryOf ?? (() => undefined);
    this.#now = now;
  }

  /** Run to which an event belongs; known from its first event on. */
  runOf(event: RunEvent, origin?: ChildOrigin): WatchedRun {
    if (origin === undefined) {
      this.#main ??= watchedRun(event, this.#program, [], this.#directoryOf(event.run_id));
      return this.#main;
    }
    const { path: nodes, directory, program } = origin;
    const run = this.#children.get(event.run_id) ?? watchedRun(event, program, nodes, directory);
    this.#children.set(event.run_id, run);
    return run;
  }

  /** Folds an event into the view of its run. */
  onEvent(event: RunEvent, run: WatchedRun): void {
    if (event.seq > run.view.seq) apply(run.view, event);
    this.#arrived = this.#now();
    this.#lastEventTime = event.timestamp;
    if (run !== this.#main && run.view.status !== 'running') this.#children.delete(event.run_id);
  }

  /** Run of which a model's text is; undefined before its first event. */
  runOfText({ run_id: id }: StageText): WatchedRun | undefined {
    return this.#main?.view.runId === id ? this.#main : this.#children.get(id);
  }

  /** Stages under way, in the order in which they began; those of a child stand in for the stage that runs it. */
  stages(): readonly WatchedStage[] {
    const now = Date.parse(this.#lastEventTime) + this.#now() - this.#arrived;
    return this.#main === undefined ? [] : this.#stagesOf(this.#main, now);
  }

  /** @param above names of the stages that run it */
  #stagesOf(run: WatchedRun, now: number, above: readonly string[] = []): readonly WatchedStage[] {
    return activeVisits(run.view).flatMap((visit) => {
      const { nodeId, branch, status } = visit;
      const handler = run.program.nodes.get(nodeId)?.handler;
      if (handler === undefined || handler.instant || status === 'branches') return [];
      const names = [...above, `${nodeId}${itemsOf(branch)}`];
      const below = this.#childrenOf(run, visit).flatMap((child) => this.#stagesOf(child, now, names));
      return below.length > 0 ? below : [watchedStage(run, visit, { name: names.join('/'), now })];
    });
  }

  /** Runs of a stage: several branches may execute the same node, each in a directory of its own. */
  #childrenOf(run: WatchedRun, { nodeId, branch }: VisitRecord): readonly WatchedRun[] {
    if (this.#children.size === 0) return [];
    const nodes = [...run.path, nodeId].join('/');
    const directory = directoryOfStage(run, nodeId, branch);
    return [...this.#children.values()].filter(
      (child) =>
        child.path.join('/') === nodes &&
        (directory === undefined || child.directory?.startsWith(`${directory}${path.sep}`)),
    );
  }
}

/** What the view of a watched run keeps: nothing that grows with its length. */
const watchScope: ViewScope = { ...narrowScope, text: wordsKept };

/** A run that is resumed has a history, which its journal tells. */
function watchedRun(
  { seq }: RunEvent,
  program: Program,
  nodes: readonly string[],
  directory: string | undefined,
): WatchedRun {
  const hasHistory = seq > 1 && directory !== undefined;
  const view = hasHistory ? readView(directory, watchScope) : emptyView(watchScope);
  return { view, program, path: nodes, directory };
}

function watchedStage(
  run: WatchedRun,
  visit: VisitRecord,
  { name, now }: { readonly name: string; readonly now: number },
): WatchedStage {
  const node = run.program.nodes.get(visit.nodeId);
  const { status, attempt, since, until } = visit;
  const began = Date.parse(since);
  return {
    name,
    handlerType: node?.handler.type ?? '',
    // A visit that is listed as active.
    state: status as UnderWay,
    elapsedMs: Math.max(0, now - began),
    restMs: until === null ? undefined : Math.max(0, Date.parse(until) - now),
    attempt,
    maxAttempts: node?.retry.maxAttempts ?? attempt,
    activity: stageActivity(visit),
    directory: directoryOfStage(run, visit.nodeId, visit.branch),
  };
}

/** Name of a stage as in scripts and answers, with the numbers of its items. */
export function nameOfStage(run: WatchedRun, nodeId: string, branch: string | undefined): string {
  return [...run.path, `${nodeId}${itemsOf(branch)}`].join('/');
}

/** Directory of the files of a stage's latest visit in this branch. */
export function directoryOfStage(
  { directory, view, program }: WatchedRun,
  nodeId: string,
  branch: string | undefined,
): string | undefined {
  return directory && path.join(directory, placeOf(view, program.nodes, branch, nodeId));
}
