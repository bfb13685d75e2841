import type { Program } from '../graph/program.js';
import { describeEvent } from './describe-event.js';
import type { Draft } from './draft.js';
import type { Effect } from './effect.js';
import type { EventBody, RunEvent } from './event.js';
import { evolveDraft } from './evolve/evolve.js';
import type { Input } from './input.js';
import { type Cursor, cursorNamed, type RunState } from './state.js';

/** Pending step of a cursor; also the points at which a run can resume. */
export interface Step {
  readonly kind: 'arrive' | 'leave' | 'restart_loop' | 'advance_fork' | 'settle_fork' | 'resume';
  readonly cursor: string;
}

/** Called with each event and the state right after it, before any consequence is decided. */
export type EventListener = (event: RunEvent, state: RunState) => void;

/**
 * One decision in the making. Each event is folded in at once, so that the next decision sees its
 * consequences; the state is therefore always the fold of the events. A cursor that was read does not
 * change: read it again to see the effect of an event.
 */
export class Transition {
  readonly program: Program;
  readonly input: Input;
  readonly events: RunEvent[] = [];
  readonly effects: Effect[] = [];
  /**
   * Stack of pending steps; the last one comes first, so that one cursor advances as far as it can before
   * the next.
   */
  readonly #steps: Step[] = [];
  readonly #draft: Draft;
  readonly #onEvent: EventListener | undefined;
  readonly #timestamp: string;

  constructor(program: Program, draft: Draft, input: Input, onEvent?: EventListener) {
    this.program = program;
    this.#draft = draft;
    this.input = input;
    this.#onEvent = onEvent;
    this.#timestamp = timestampOf(input.now);
  }

  get state(): RunState {
    return this.#draft;
  }

  cursor(id: string): Cursor {
    return cursorNamed(this.#draft, id);
  }

  emit(body: EventBody, runId = this.#draft.runId): void {
    const header = { seq: this.#draft.seq + 1, timestamp: this.#timestamp, run_id: runId };
    const event: RunEvent = withValues(withValues(header, body), { description: describeEvent(body) });
    this.events.push(event);
    evolveDraft(this.program, this.#draft, event, this.input.now);
    this.#onEvent?.(event, this.#draft);
  }

  /**
   * Schedules the next step. A call instead would overflow the stack, because a pipeline may loop without
   * any effect in between.
   */
  next(kind: Step['kind'], cursor: string): void {
    this.#steps.push({ kind, cursor });
  }

  /** Takes the next step, as long as the run continues. */
  takeStep(): Step | undefined {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      if (this.#draft.status === 'running' && this.#draft.cursors.has(step.cursor)) return step;
    }
    return undefined;
  }

  perform(effect: Effect): void {
    this.effects.push(effect);
  }

  log(level: 'info' | 'warning', message: string, nodeId?: string, aboutFiles?: true): void {
    this.emit({ type: 'LogAppended', level, message, node_id: nodeId, about_files: aboutFiles });
  }
}

let lastTime = Number.NaN;
let lastTimestamp = '';

/**
 * Timestamp of a time; cached, because many decisions fall into one millisecond, and formatting takes
 * longer than deciding.
 */
function timestampOf(now: number): string {
  if (now !== lastTime) {
    lastTimestamp = new Date(now).toISOString();
    lastTime = now;
  }
  return lastTimestamp;
}

/**
 * Adds properties to an object, those without a value left out, as a reader of the journal finds an event.
 * `Object.assign` and a spread take two to four times as long, and every event passes here.
 */
function withValues<Target extends object, Values extends object>(
  target: Target,
  values: Values,
): Target & Values {
  const joined: Partial<Values> = target;
  for (const key in values) if (values[key] !== undefined) joined[key] = values[key];
  return joined as Target & Values;
}
