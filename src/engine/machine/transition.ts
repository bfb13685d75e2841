import type { Program } from '../../graph/program.js';
import { describeEvent } from './describe-event.js';
import type { Effect } from './effect.js';
import type { EventBody, RunEvent } from './event.js';
import { evolve } from './evolve.js';
import type { Input } from './input.js';
import { type Cursor, cursorNamed, mainCursor, type RunState } from './state.js';

/**
 * One decision in the making. Each event is folded in at once, so that what is decided next sees its consequences; the
 * state is therefore always the fold of the events.
 */
export class Transition {
  readonly program: Program;
  readonly input: Input;
  readonly events: RunEvent[] = [];
  readonly effects: Effect[] = [];
  state: RunState;
  readonly #timestamp: string;

  constructor(program: Program, state: RunState, input: Input) {
    this.program = program;
    this.state = state;
    this.input = input;
    this.#timestamp = new Date(input.now).toISOString();
  }

  cursor(id: string): Cursor {
    return cursorNamed(this.state, id);
  }

  emit(body: EventBody, runId = this.state.runId): void {
    const event: RunEvent = {
      seq: this.state.seq + 1,
      timestamp: this.#timestamp,
      run_id: runId,
      ...body,
      description: describeEvent(body),
    };
    this.events.push(event);
    this.state = evolve(this.program, this.state, event);
  }

  perform(effect: Effect): void {
    this.effects.push(effect);
  }

  log(level: 'info' | 'warning', message: string, nodeId?: string): void {
    this.emit({ type: 'LogAppended', level, message, ...(nodeId !== undefined && { node_id: nodeId }) });
  }

  /** The `branch` of an event of this cursor; nothing for the main line. */
  branchOf(cursorId: string): { readonly branch?: string } {
    return cursorId === mainCursor ? {} : { branch: cursorId };
  }
}
