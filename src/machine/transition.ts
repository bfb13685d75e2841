import type { Program } from '../graph/program.js';
import { describeEvent } from './describe-event.js';
import type { Draft } from './draft.js';
import type { Effect } from './effect.js';
import type { EventBody, RunEvent } from './event.js';
import { evolveDraft } from './evolve.js';
import type { Input } from './input.js';
import { type Cursor, cursorNamed, type RunState } from './state.js';

/** A place where a cursor continues. Each is where resuming takes a run up again, too. */
export interface Step {
  readonly kind: 'arrive' | 'leave' | 'restart_loop' | 'advance_fork' | 'settle_fork' | 'resume';
  readonly cursor: string;
}

/** Is told each event with the state right after it, before anything that follows from it is decided. */
export type EventListener = (event: RunEvent, state: RunState) => void;

/**
 * One decision in the making. Each event is folded in at once, so that what is decided next sees its consequences; the
 * state is therefore always the fold of the events. A cursor stays as it was when it was read: what an event did to it shows
 * in the one that is read after it.
 */
export class Transition {
  readonly program: Program;
  readonly input: Input;
  readonly events: RunEvent[] = [];
  readonly effects: Effect[] = [];
  /** What is still to be decided; the last one comes first, so that one cursor goes as far as it can before the next. */
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
    const event: RunEvent = withoutUndefined({
      seq: this.#draft.seq + 1,
      timestamp: this.#timestamp,
      run_id: runId,
      ...body,
      description: describeEvent(body),
    });
    this.events.push(event);
    evolveDraft(this.program, this.#draft, event, this.input.now);
    this.#onEvent?.(event, this.#draft);
  }

  /** Decides this next. Not by a call, because a pipeline may go on and on without anything to do in between. */
  next(kind: Step['kind'], cursor: string): void {
    this.#steps.push({ kind, cursor });
  }

  /** The next thing to decide, as long as the run continues. */
  takeStep(): Step | undefined {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      if (this.#draft.status === 'running' && this.#draft.cursors.has(step.cursor)) return step;
    }
    return undefined;
  }

  perform(effect: Effect): void {
    this.effects.push(effect);
  }

  log(level: 'info' | 'warning', message: string, nodeId?: string): void {
    this.emit({ type: 'LogAppended', level, message, node_id: nodeId });
  }
}

let lastTime = Number.NaN;
let lastTimestamp = '';

/** Many decisions fall into one millisecond, and to write it down takes longer than to decide. */
function timestampOf(now: number): string {
  if (now !== lastTime) {
    lastTimestamp = new Date(now).toISOString();
    lastTime = now;
  }
  return lastTimestamp;
}

/** Observers are told an event as a reader of the journal finds it: what has no value has no name either. */
function withoutUndefined<Value extends object>(value: Value): Value {
  const kept = {} as Value;
  for (const key in value) if (value[key] !== undefined) kept[key] = value[key];
  return kept;
}
