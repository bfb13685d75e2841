import type { JsonValue } from '../../graph/json.js';
import type { Program } from '../../graph/program.js';
import type { SteeringReadiness } from '../../handlers/stage-steering.js';
import { decideDraft } from '../../machine/decide.js';
import { thaw } from '../../machine/draft.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { InputBody } from '../../machine/input.js';
import type { PersonWords } from '../../machine/person-words.js';
import type { RunState } from '../../machine/state.js';
import { stagePath } from '../../run-directory/stage-path.js';
import type { RunEngine } from '../children/run-engine.js';
import { openPorts, openRun } from '../drive-run.js';
import type { BudgetAbove } from '../driver/budget-above.js';
import type { Clock } from '../driver/clock.js';
import type { RunArtifacts } from '../driver/driver-ports.js';
import { EffectPerformer, type PerformerHost } from '../driver/effect-performer.js';
import { recordedSession } from '../recorded-session.js';
import { restoreViews } from '../restore-views.js';
import type { ResumedRun } from '../resume-run.js';
import type { StageOrder } from './stages-elsewhere.js';

/** Attempt of a stage of a run that another process drives, and the connections with that process. */
export interface AttemptHere {
  readonly effect: ExecuteEffect;
  /** True if a budget limits its costs. */
  readonly isBudgeted: boolean;
  /** Called once, before anything happens, with a function that takes orders. */
  onBegin(begun: AttemptBegun): void;
  /** Called with each input that follows. */
  dispatch(input: InputBody): void;
  /** Called when it opens itself to words of people, or refuses them. */
  onReadiness(readiness: SteeringReadiness): void;
  /** Called with each change of an artifact. */
  onArtifact(change: ArtifactChange): void;
  /**
   * Stores the files of the stage where they outlive this machine, and all inputs so far.
   * @param recordsTurns true if its backend asks for that after each turn
   */
  keepFiles(recordsTurns: boolean): Promise<void>;
}

export interface AttemptBegun {
  /** Path of the stage's files, relative to the directory of the run. */
  readonly path: string;
  tell(order: StageOrder): void;
}

/** Change of an artifact. Plain data. */
export type ArtifactChange =
  | { readonly kind: 'store'; readonly id: string; readonly name: string; readonly data: JsonValue }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'clear' };

/**
 * Performs one attempt of a stage of a recorded run, as its driver would: with the same ports, in a directory that has what is recorded.
 * What follows from it goes back as inputs; nothing is decided here.
 * @throws RunError if the directory cannot be read or written
 */
export async function performRecordedAttempt(
  run: ResumedRun,
  engine: RunEngine,
  attempt: AttemptHere,
): Promise<void> {
  const { directory, manifest, program, settings } = run;
  const { fileSystem } = settings.ports;
  const { effect } = attempt;
  const delivered = new Set<string>();
  const basis = recordedSession(
    { directory, manifest, program, settings: settings.recorded },
    fileSystem,
    (event) => {
      if (event.type === 'SteeringDelivered') delivered.add(event.steering_id);
    },
  );
  const { state, journalEnd, stageViews, continuation } = basis;
  if (!isUnderWay(state, effect)) return;
  const budget = new BudgetOfRun(attempt.isBudgeted);
  const environment = { ...openRun(run, engine, state, continuation), budgetAbove: budget };
  restoreViews(directory, journalEnd, stageViews, state, manifest.graph_hash, fileSystem, true);
  const opened = openPorts(basis, environment);
  const { clock } = opened.ports;
  const began = clock.now();
  const artifacts = noting(opened.artifacts, (change) => attempt.onArtifact(change));
  try {
    await new Promise<void>((onIdle, onBroken) => {
      const { host, hear } = hostOf({ program, state, clock, began, delivered }, attempt, {
        onIdle,
        onBroken,
      });
      const performer = new EffectPerformer(program, { ...opened.ports, artifacts }, host);
      attempt.onBegin({
        path: stagePath(program, state, effect.cursor, effect.nodeId),
        tell(order) {
          if (order.kind === 'budget_spent') budget.end(order.reason);
          else if (order.kind === 'say') hear(order.words);
          else follow(performer, effect, order);
        },
      });
      performer.perform(effect);
      if (!performer.isBusy) onIdle();
    });
  } finally {
    opened.close();
  }
}

function isUnderWay(
  state: Pick<RunState, 'status' | 'cursors'>,
  { cursor: id, index, attempt }: ExecuteEffect,
): boolean {
  const cursor = state.cursors.get(id);
  return state.status === 'running' && cursor?.index === index && cursor.attempt === attempt;
}

function follow(
  performer: EffectPerformer,
  { cursor }: ExecuteEffect,
  order: Exclude<StageOrder, { kind: 'budget_spent' | 'say' }>,
): void {
  switch (order.kind) {
    case 'request_pause':
      return performer.perform(order);
    case 'abort':
    case 'deliver':
      return performer.perform({ ...order, cursor });
  }
}

interface RecordedBasis {
  readonly program: Program;
  readonly state: RunState;
  readonly clock: Clock;
  /** Time at which the attempt begins here, by that clock. */
  readonly began: number;
  /** Ids of words that models have got. */
  readonly delivered: ReadonlySet<string>;
}

/**
 * Driver's part of an attempt that the machine of another process has begun. The state is a copy, in which only its own progress is
 * decided, for its budgets, and the words of people, for its handler.
 */
function hostOf(
  { program, state, clock, began, delivered }: RecordedBasis,
  attempt: AttemptHere,
  end: { onIdle(): void; onBroken(error: unknown): void },
): { readonly host: PerformerHost; hear(words: PersonWords): void } {
  const draft = thaw(state);
  const { cursor, index, attempt: number } = attempt.effect;
  const apply = (input: InputBody): void =>
    void decideDraft(program, draft, {
      now: Math.max(clock.now(), draft.lastEventAt),
      random: 0,
      ...input,
    });
  const waiting = draft.cursors.get(cursor)?.words ?? [];
  const heard = new Set([...delivered, ...waiting.map(({ id }) => id)]);
  const { startedAt = began } = draft.cursors.get(cursor) ?? {};
  // The time before is that of its run, by the clock of another machine: it has waited for this one.
  const workedHere = ({ workedMs }: Extract<InputBody, { readonly kind: 'stage_settled' }>): number =>
    workedMs === undefined ? clock.now() - began : workedMs - (began - startedAt);
  const host: PerformerHost = {
    state: () => draft,
    dispatch(input) {
      if (input.kind === 'stage_progress') apply(input);
      attempt.dispatch(input.kind === 'stage_settled' ? { ...input, workedMs: workedHere(input) } : input);
    },
    keepFiles: (_stage, recordsTurns) => attempt.keepFiles(recordsTurns),
    flush: () => undefined,
    onReadiness: (readiness) => attempt.onReadiness(readiness),
    beforeTurn: () => undefined,
    ...end,
  };
  return {
    host,
    hear(words) {
      // A worker that takes the run over says again what may not have come here, and orders outlive the worker of the stage.
      if (heard.has(words.id)) return;
      heard.add(words.id);
      apply({ kind: 'steered', cursor, index, attempt: number, words });
    },
  };
}

/** Budget of the run: used up once the process that drives it says so. */
class BudgetOfRun implements BudgetAbove {
  readonly isBound: boolean;
  #spent: string | undefined;

  constructor(isBound: boolean) {
    this.isBound = isBound;
  }

  end(reason: string): void {
    this.#spent = reason;
  }

  spent(): string | undefined {
    return this.#spent;
  }

  watch(): void {}
}

/** The same artifacts, whose changes are noted. */
function noting(artifacts: RunArtifacts, onChange: (change: ArtifactChange) => void): RunArtifacts {
  return {
    retrieve: (id) => artifacts.retrieve(id),
    has: (id) => artifacts.has(id),
    list: () => artifacts.list(),
    sync: () => artifacts.sync(),
    store(id, name, data) {
      const info = artifacts.store(id, name, data);
      onChange({ kind: 'store', id, name: info.name, data: artifacts.retrieve(id) });
      return info;
    },
    remove(id) {
      const isRemoved = artifacts.remove(id);
      if (isRemoved) onChange({ kind: 'remove', id });
      return isRemoved;
    },
    clear() {
      artifacts.clear();
      onChange({ kind: 'clear' });
    },
  };
}
