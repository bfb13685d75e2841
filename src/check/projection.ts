import type { JsonValue } from '../graph/json.js';
import type { Program } from '../graph/program.js';
import type { FlowKeys } from '../lint/flow/flow-keys.js';
import { listInputs } from '../lint/flow/list-inputs.js';
import type { LiveKeys } from '../lint/flow/live-keys.js';
import { isSuccessful } from '../machine/outcome.js';
import type { BranchResult, Cursor, Fork, RunState } from '../machine/state.js';
import { hasUsableResult, sameReason } from './stage-ways.js';

/**
 * Two states of a run with the same key can continue in the same ways, but for the limits of the pipeline; of them, one that has
 * used no more of any limit can do all that the other can.
 */
export interface Projection {
  readonly key: string;
  /** Amounts used of the limits, by name; 0 where it is missing. A count below the limit of a property has a minus sign. */
  readonly used: ReadonlyMap<string, number>;
}

export interface ProjectionOptions {
  readonly keys: FlowKeys;
  readonly live: LiveKeys;
  readonly repeats: boolean;
}

/** Leaves of a state what the future of the run depends on. */
export class Projector {
  readonly #program: Program;
  readonly #options: ProjectionOptions;
  readonly #hasJoins: boolean;
  /** Inputs whose items become branches: a run begins with them, and again after a restart. */
  readonly #lists: readonly string[];
  readonly #limited: ReadonlySet<string>;
  /** Nodes of which matters whether a line has visited them before. */
  readonly #again: ReadonlySet<string>;

  constructor(program: Program, options: ProjectionOptions) {
    this.#program = program;
    this.#options = options;
    const nodes = [...program.nodes.values()];
    this.#lists = listInputs(program.graph, nodes).map(({ name }) => name);
    this.#hasJoins = nodes.some(({ handler }) => handler.joins);
    this.#limited = new Set(nodes.filter(({ maxVisits }) => maxVisits !== undefined).map(({ id }) => id));
    const clearsAgain = nodes.filter(({ clears }) =>
      clears.again.some((key) => options.keys.values.has(key)),
    );
    this.#again = new Set(clearsAgain.map(({ id }) => id));
  }

  of(state: RunState): Projection {
    const cursors = [...state.cursors.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    const used = new Map<string, number>();
    for (const { id, steps } of cursors) used.set(`steps ${id}`, steps);
    used.set('restarts', state.restarts);
    used.set('redirects', state.goalGateRedirects);
    const again: string[] = [];
    if (this.#limited.size > 0 || this.#again.size > 0) {
      for (const [line, visits] of state.lineVisits) {
        const nodeId = line.slice(line.indexOf('\n') + 1);
        if (this.#limited.has(nodeId)) used.set(`visits ${line}`, visits);
        if (this.#again.has(nodeId)) again.push(line);
      }
    }
    const parts = [
      this.#monitors(state, used),
      cursors.map((cursor) => this.#cursor(state, cursor)),
      this.#gates(state),
      this.#lists.map((name) => state.inputs[name] ?? null),
      again.sort(),
      this.#options.repeats ? this.#repeats(state) : 0,
    ];
    return { key: JSON.stringify(parts), used };
  }

  /** States of the monitors. A higher count of a bound can break all that a lower one can, as a limit of which more is used. */
  #monitors({ monitors }: RunState, used: Map<string, number>): unknown {
    return monitors.map((value, index) => {
      if (this.#program.monitors[index]?.property.kind !== 'bound' || value <= 0) return value;
      used.set(`counted ${index}`, -value);
      return 'counts';
    });
  }

  #cursor(state: RunState, cursor: Cursor): unknown {
    const { id, nodeId, phase, attempt, routedOutcome, context, updates, fork, items } = cursor;
    const node = this.#program.nodes.get(nodeId);
    const live = this.#liveAt(state, cursor);
    const routed =
      node?.handler.inheritsOutcome === true
        ? [routedOutcome?.status, routedOutcome?.preferred_label, routedOutcome?.suggested_next_ids]
        : 0;
    return [
      id,
      nodeId,
      phase,
      attempt,
      routed,
      valuesOf(context, live),
      valuesOf(updates, live),
      this.#hasJoins ? [context.has('parallel.results'), hasUsableResult(cursor)] : 0,
      fork === undefined ? 0 : forkOf(fork, live),
      items === undefined ? 0 : items.length,
    ];
  }

  /** Keys that something may read after a cursor, or after the branches that it is in have met. */
  #liveAt(state: RunState, cursor: Cursor): readonly string[] {
    const live = new Set(this.#options.live.entering(cursor.nodeId));
    for (
      let around = cursor.branch;
      around !== undefined;
      around = state.cursors.get(around.parent)?.branch
    ) {
      const joinId = this.#program.nodes.get(around.parallelId)?.parallel?.joinId ?? '';
      for (const key of this.#options.live.entering(joinId)) live.add(key);
    }
    return [...live].sort();
  }

  /** Goal gates in the order in which they block the exit. */
  #gates({ outcomes }: RunState): unknown {
    const { goalGates, nodes } = this.#program;
    if (goalGates.length === 0) return 0;
    const said: unknown[] = [];
    for (const [id, { status }] of outcomes)
      if (nodes.get(id)?.goalGate === true) said.push([id, isSuccessful(status)]);
    return said;
  }

  #repeats({ terminalFailures }: RunState): unknown {
    const counts: unknown[] = [];
    for (const [id, byCursor] of terminalFailures) {
      for (const [cursor, { reason, count }] of byCursor)
        if (reason.endsWith(sameReason)) counts.push([id, cursor, Math.min(count, 2)]);
    }
    return counts.map((one) => JSON.stringify(one)).sort();
  }
}

interface Values {
  get(key: string): JsonValue | undefined;
}

function valuesOf(values: Values, keys: readonly string[]): unknown {
  return keys.map((key) => values.get(key) ?? null);
}

function forkOf({ next, results, terminalFailures, error }: Fork, live: readonly string[]): unknown {
  const ended = [...results]
    .sort(([one], [other]) => one - other)
    .map(([index, one]) => [index, resultOf(one, live)]);
  return [next, ended, terminalFailures, error ?? 0];
}

function resultOf({ status, context_updates: updates }: BranchResult, live: readonly string[]): unknown {
  return [status, live.map((key) => updates[key] ?? null)];
}

/** True if one state has used no more of any limit than another. */
export function isWithin(one: Projection['used'], other: Projection['used']): boolean {
  for (const [name, amount] of one) if (amount > (other.get(name) ?? 0)) return false;
  return true;
}
