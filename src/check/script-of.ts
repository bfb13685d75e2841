import type { WitnessEntry } from '../diagnostic/witness.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { Inputs } from '../graph/values/declared-inputs.js';
import { scriptInputs } from '../graph/values/sample-inputs.js';
import { decide } from '../machine/decide.js';
import type { Outcome } from '../machine/outcome.js';
import { initialState, mainCursor, type RunState } from '../machine/state.js';
import type { BreakingRun } from './explorer.js';
import { beginning, inNoTime, type SearchStep } from './search-step.js';

/** Entry of a script that also says when a stage of a branch ends. */
export type TimedEntry = WitnessEntry & { readonly delay?: string | undefined };

/** A script for `run --simulate --script`, in the words of its file. */
export interface PathScript {
  readonly inputs?: Inputs | undefined;
  readonly nodes: Readonly<Record<string, readonly TimedEntry[]>>;
}

/**
 * Script of the steps of a run. Where branches are under way, each attempt takes so long that they end in the order of the steps,
 * a millisecond apart.
 * @param inputs those on which the run depends
 */
export function scriptOf({ program, steps, inputs: begun }: BreakingRun, inputs?: Inputs): PathScript {
  let { state, events } = decide(program, initialState, inNoTime(beginning(begun)));
  let now = 0;
  const startedAt = new Map<string, number>([[mainCursor, 0]]);
  const entries = new Map<string, TimedEntry[]>();
  for (const step of steps) {
    if (state.cursors.size > 1 && step.way !== undefined) now += 1;
    if (step.way !== undefined) {
      const delay = now - (startedAt.get(step.cursor) ?? now);
      note(entries, step, entryOf(step.way.said, delay));
    } else if (step.now !== undefined) {
      now = Math.max(now, (startedAt.get(step.cursor) ?? now) + step.now);
      keepBusy(program, state, entries, (cursor) => now + 1000 - (startedAt.get(cursor) ?? now));
    }
    ({ state, events } = decide(program, state, inNoTime(step.input, step.now)));
    for (const event of events)
      if (event.type === 'StageStarted') startedAt.set(event.branch ?? mainCursor, now);
  }
  // Attempts that are still under way must not end before the last step.
  if (state.cursors.size > 1) keepBusy(program, state, entries, () => now + 1000);
  return {
    inputs: scriptInputs(program.graph, { ...inputs, ...begun }),
    nodes: Object.fromEntries(written(program, entries)),
  };
}

function note(
  entries: Map<string, TimedEntry[]>,
  { nodeId, execution }: Pick<SearchStep, 'nodeId' | 'execution'>,
  entry: TimedEntry,
): void {
  const own = entries.get(nodeId) ?? [];
  own[execution] = entry;
  entries.set(nodeId, own);
}

/** Lets the attempts under way take longer than what comes next. @param delay of the attempt of a cursor, in milliseconds */
function keepBusy(
  { nodes }: Program,
  { cursors }: RunState,
  entries: Map<string, TimedEntry[]>,
  delay: (cursor: string) => number,
): void {
  for (const { id, nodeId, execution, phase } of cursors.values()) {
    if (phase !== 'running' || nodes.get(nodeId)?.parallel !== undefined) continue;
    if (entries.get(nodeId)?.[execution] !== undefined) continue;
    note(entries, { nodeId, execution }, { outcome: 'success', delay: `${delay(id)}ms` });
  }
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
