import type { WitnessEntry } from '../diagnostic/witness.js';
import type { Program, ProgramNode } from '../graph/program.js';
import { decide } from '../machine/decide.js';
import type { Outcome } from '../machine/outcome.js';
import { initialState, mainCursor } from '../machine/state.js';
import { beginning, inNoTime, type SearchStep } from './search-step.js';

/** Entry of a script that also says when a stage of a branch ends. */
export type TimedEntry = WitnessEntry & { readonly delay?: string | undefined };

/** A script for `run --simulate --script`, in the words of its file. */
export interface PathScript {
  readonly nodes: Readonly<Record<string, readonly TimedEntry[]>>;
}

/**
 * Script of the steps of a run. Where branches are under way, each attempt takes so long that they end in the order of the steps,
 * a millisecond apart.
 */
export function scriptOf(program: Program, steps: readonly SearchStep[]): PathScript {
  let { state, events } = decide(program, initialState, inNoTime(beginning));
  let now = 0;
  const startedAt = new Map<string, number>([[mainCursor, 0]]);
  const entries = new Map<string, TimedEntry[]>();
  for (const step of steps) {
    if (state.cursors.size > 1 && step.way !== undefined) now += 1;
    if (step.way !== undefined) {
      const delay = now - (startedAt.get(step.cursor) ?? now);
      const own = entries.get(step.nodeId) ?? [];
      own[step.execution] = entryOf(step.way.said, delay);
      entries.set(step.nodeId, own);
    }
    ({ state, events } = decide(program, state, inNoTime(step.input)));
    for (const event of events)
      if (event.type === 'StageStarted') startedAt.set(event.branch ?? mainCursor, now);
  }
  // Attempts that are still under way must not end before the last step.
  for (const { nodeId, execution, phase } of state.cursors.values()) {
    const own = entries.get(nodeId) ?? [];
    if (phase !== 'running' || state.cursors.size === 1 || own[execution] !== undefined) continue;
    if (program.nodes.get(nodeId)?.parallel !== undefined) continue;
    own[execution] = { outcome: 'success', delay: `${now + 1000}ms` };
    entries.set(nodeId, own);
  }
  return { nodes: Object.fromEntries(written(program, entries)) };
}

function entryOf(said: Outcome, delay: number): TimedEntry {
  const { status, preferred_label, suggested_next_ids, context_updates, failure_reason, retryable } = said;
  return {
    outcome: status,
    preferred_label,
    suggested_next_ids,
    context_updates,
    failure_reason,
    retryable: retryable === false ? false : undefined,
    delay: delay === 0 ? undefined : `${delay}ms`,
  };
}

/** Entries that say more than what a simulated stage does by itself; the last one of a node repeats. */
function* written(
  { nodes }: Program,
  entries: ReadonlyMap<string, readonly (TimedEntry | undefined)[]>,
): Iterable<[string, readonly TimedEntry[]]> {
  for (const [id, own] of entries) {
    const node = nodes.get(id);
    const whole = Array.from(own, (entry): TimedEntry => entry ?? { outcome: 'success' });
    if (node === undefined || whole.every((entry) => isUsual(node, entry))) continue;
    const last = JSON.stringify(whole.at(-1));
    while (whole.length > 1 && JSON.stringify(whole.at(-2)) === last) whole.pop();
    yield [id, whole];
  }
}

function isUsual({ handler }: ProgramNode, { outcome, ...rest }: TimedEntry): boolean {
  const isPlain = Object.values(rest).every((value) => value === undefined);
  return isPlain && outcome === 'success' && (handler.llm || handler.instant);
}
