import type { Program } from '../graph/program.js';
import type { RunEvent } from '../machine/event.js';
import { evolveAll } from '../machine/evolve/evolve.js';
import { plainData, valueOfData } from '../machine/persistent.js';
import { initialState, type RunState } from '../machine/state.js';
import { Continuation, type ContinuationData } from './continuation.js';
import { StageViews, type StageViewsData } from './driver/stage-views.js';
import { historyOf, type RunHistory, type RunHistoryData } from './preamble/run-history.js';
import { type MadeUpKeys, noteMadeUp } from './simulate/made-up-words.js';

/** A fold as plain data, for those of the same version. */
export type JournalFoldData = { readonly plain: unknown };

interface Folded {
  readonly state: RunState;
  readonly history: RunHistoryData | undefined;
  readonly madeUp: MadeUpKeys;
  readonly stageViews: StageViewsData;
  readonly continuation: ContinuationData;
}

/**
 * All that a driver needs of the journal of a run, as a fold of its events: a run of any age can continue from the fold at some event
 * and the events after it (SEMANTICS 140).
 */
export class JournalFold {
  readonly history: RunHistory | undefined;
  readonly madeUp: MadeUpKeys;
  readonly stageViews: StageViews;
  readonly continuation: Continuation;
  readonly #program: Program;
  #state: RunState;

  /** @param data of an earlier fold for the same program */
  constructor(program: Program, data?: JournalFoldData) {
    const folded = data && (valueOfData(data.plain) as Folded);
    this.#program = program;
    this.#state = folded?.state ?? initialState;
    this.history = historyOf(program, folded?.history);
    this.madeUp = folded?.madeUp ?? new Map();
    this.stageViews = new StageViews(program, folded?.stageViews);
    this.continuation = new Continuation(program, folded?.continuation);
  }

  get state(): RunState {
    return this.#state;
  }

  /** @throws Error for an event that does not fit, after calling `onMisfit` with it */
  add(events: Iterable<RunEvent>, onMisfit: (event: RunEvent, error: unknown) => never): void {
    this.#state = evolveAll(this.#program, this.#state, events, onMisfit, (event, after) => {
      this.stageViews.note(event, after);
      this.continuation.note(event, after);
      this.history?.add(event);
      noteMadeUp(this.madeUp, event);
    });
  }

  get data(): JournalFoldData {
    const folded: Folded = {
      state: this.#state,
      history: this.history?.data,
      madeUp: this.madeUp,
      stageViews: this.stageViews.data,
      continuation: this.continuation.data,
    };
    return { plain: plainData(folded) };
  }
}
