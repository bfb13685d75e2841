import path from 'node:path';
import { knownHandlerTypes } from '../../graph/known-handler-types.js';
import type { Program } from '../../graph/program.js';
import { readJournal } from '../../journal/journal.js';
import { controlFlow } from '../../lint/analysis/control-flow.js';
import type { RunState } from '../../machine/state.js';
import { foldJournal } from '../../run/recorded-session.js';
import { RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';

/**
 * Nodes that a run may still visit when it continues: those that control can reach from where it is, whatever
 * happens. Undefined if the pipeline is too tangled, for a run that has not begun, and for one whose journal is
 * damaged, which the resume itself reports.
 * @param from node at which it continues; undefined for where it stopped
 */
export function stagesLeft(
  directory: string,
  program: Program,
  from: string | undefined,
): ReadonlySet<string> | undefined {
  const places = from === undefined ? whereItStopped(directory, program) : [from];
  return places && reachableFrom(program, places);
}

/** @returns no node for a run that is over */
function whereItStopped(directory: string, program: Program): readonly string[] | undefined {
  const state = stateOf(directory, program);
  if (state === undefined || state.status === 'created') return undefined;
  if (state.status === 'success') return [];
  const { cursors, failure } = state;
  const nodes = [...cursors.values()].map(({ nodeId }) => nodeId);
  return failure === undefined ? nodes : [...nodes, failure.resumeAt];
}

function stateOf(directory: string, program: Program): RunState | undefined {
  try {
    return foldJournal(program, readJournal(path.join(directory, runFiles.journal)), directory);
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
}

function reachableFrom(
  { graph, nodes }: Program,
  starts: readonly string[],
): ReadonlySet<string> | undefined {
  const flow = controlFlow(graph, knownHandlerTypes([...nodes.values()].map(({ handler }) => handler)));
  const isKnown = starts.every((id) => flow.placesOf(id).length > 0);
  if (!flow.isComplete || !isKnown) return undefined;
  const open = starts.flatMap((id) => flow.placesOf(id).map(({ index }) => index));
  const seen = new Set(open);
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    for (const { to } of flow.stepsFrom(index)) {
      if (seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return new Set([...seen].flatMap((index) => flow.points[index]?.node.id ?? []));
}
