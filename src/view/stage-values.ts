import path from 'node:path';
import type { Graph, Node } from '../graph/graph.js';
import type { JsonValue } from '../graph/json.js';
import { lookUp } from '../graph/look-up.js';
import { itemIndexKey } from '../graph/parallel.js';
import { buildProgram, type Program } from '../graph/program.js';
import { isFileReference } from '../graph/values/file-reference.js';
import { isRoutineKey } from '../graph/values/handler-keys.js';
import { listedKeys } from '../graph/values/key-lists.js';
import { JournalLines } from '../journal/journal.js';
import { JournalTail } from '../journal/journal-tail.js';
import { contextReads } from '../lint/analysis/context-reads.js';
import type { RunEvent } from '../machine/event.js';
import { evolveAll } from '../machine/evolve/evolve.js';
import { mergedBranches } from '../machine/evolve/evolve-parallel.js';
import type { Outcome } from '../machine/outcome.js';
import { stagesSeenBy } from '../machine/seen-stages.js';
import { type Cursor, initialState, mainCursor } from '../machine/state.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import { readReferenced } from '../run-directory/referenced-file.js';
import { runFiles } from '../run-directory/run-files.js';
import { headOf } from './cut-text.js';
import type { RunPipeline } from './run-pipeline.js';
import type { GivenValue, ReadValue } from './stage-schema.js';

/** Values that a visit read and gave. */
export interface StageValues {
  readonly read: readonly ReadValue[];
  readonly gave: readonly GivenValue[];
}

/** Visits by their execution ordinals, with the nodes that they are of. */
export type WantedVisits = ReadonlyMap<number, string>;

/**
 * Values that visits read and gave, by their execution ordinals: what people see of the data that flows
 * along the edges (SEMANTICS §12). The state of the run at the beginning of a visit is folded from the
 * journal, so that the values are those that the stage had.
 * @throws RunError where the run cannot be read
 */
export function stageValues(
  directory: string,
  pipeline: RunPipeline,
  selection: WantedVisits,
): ReadonlyMap<number, StageValues> {
  const gave = givenValues(directory, pipeline, selection);
  const { read, merged } = valuesInState(directory, pipeline, selection);
  return new Map(
    [...selection.keys()].map((index) => [
      index,
      { read: read.get(index) ?? [], gave: inOrder(gave.get(index) ?? [], merged.get(index)) },
    ]),
  );
}

function* eventsOf(directory: string): Iterable<RunEvent> {
  const file = path.join(directory, runFiles.journal);
  const lines = new JournalLines(file);
  for (const text of new JournalTail(file).read()) yield lines.readQuickly(text);
}

/** Values that visits gave, by the latest of their attempts. */
function givenValues(
  directory: string,
  { graph }: RunPipeline,
  selection: WantedVisits,
): ReadonlyMap<number, readonly GivenValue[]> {
  const valuesByVisit = new Map<number, readonly GivenValue[]>();
  for (const event of eventsOf(directory)) {
    if (event.type !== 'StageCompleted' && event.type !== 'StageFailed' && event.type !== 'StageSkipped')
      continue;
    if (selection.has(event.index))
      valuesByVisit.set(event.index, valuesGiven(graph.nodes.get(event.node_id), event.outcome));
  }
  return valuesByVisit;
}

/** Values that an outcome puts into the context. */
function valuesGiven(
  node: Node | undefined,
  { context_updates: updates = {}, assigned = {} }: Outcome,
): readonly GivenValue[] {
  const declared = new Set(listedKeys(node?.attributes.get('writes')).map(({ key }) => key));
  const values: GivenValue[] = [];
  for (const [name, value] of Object.entries(updates)) {
    if (!Object.hasOwn(assigned, name)) values.push({ name, by: sourceOf(name, declared), value });
  }
  for (const [name, value] of Object.entries(assigned)) values.push({ name, by: 'assign', value });
  return values;
}

/** All values that a visit set, the most interesting ones first. */
function inOrder(values: readonly GivenValue[], merged: readonly GivenValue[] = []): readonly GivenValue[] {
  const rank = ({ by }: GivenValue): number => ranks.indexOf(by);
  return [...values, ...merged].sort((one, other) => rank(one) - rank(other));
}

const ranks: readonly GivenValue['by'][] = ['output', 'writes', 'assign', 'merge', 'update', 'engine'];

function sourceOf(key: string, declared: ReadonlySet<string>): GivenValue['by'] {
  if (declared.has(key)) return 'writes';
  if (key === 'tool.json') return 'output';
  return isRoutineKey(key) ? 'engine' : 'update';
}

/** Values that only the state of the run has: those that visits read, and those that were merged at a join. */
interface ValuesInState {
  readonly read: ReadonlyMap<number, readonly ReadValue[]>;
  readonly merged: ReadonlyMap<number, readonly GivenValue[]>;
}

/** None if the pipeline depends on a plugin that is not loaded. */
function valuesInState(directory: string, pipeline: RunPipeline, selection: WantedVisits): ValuesInState {
  const read = new Map<number, readonly ReadValue[]>();
  const merged = new Map<number, readonly GivenValue[]>();
  if (!needsState(pipeline, selection)) return { read, merged };
  const { graph, handlerTypes } = pipeline;
  const program = buildProgram(graph, handlerTypes);
  const misfit = new Error('the journal does not fit the pipeline');
  const onMisfit = (): never => {
    throw misfit;
  };
  try {
    evolveAll(program, initialState, eventsOf(directory), onMisfit, (event, { cursors }) => {
      if (event.type !== 'StageStarted' && event.type !== 'ParallelCompleted') return;
      const cursor = cursors.get(event.branch ?? mainCursor);
      if (cursor === undefined || !selection.has(event.index)) return;
      if (event.type === 'StageStarted') read.set(event.index, valuesRead(directory, graph, cursor));
      else merged.set(event.index, valuesMerged(program, cursor));
    });
  } catch (error) {
    // Transforms of plugins that a reader does not load; what was found before is right.
    if (error !== misfit) throw error;
  }
  return { read, merged };
}

function needsState({ graph, nodes }: RunPipeline, selection: WantedVisits): boolean {
  if (nodes.size === 0) return false;
  if ([...nodes.values()].some(({ parallel }) => parallel?.foreach !== undefined)) return true;
  return [...selection.values()].some(
    (id) =>
      pathsReadBy(graph, id).length > 0 ||
      (nodes.get(id)?.parallel?.conflictPolicy ?? 'isolate') !== 'isolate',
  );
}

/** Values of the branches that are merged when the node settles (SEMANTICS 107). */
function valuesMerged(program: Program, cursor: Cursor): readonly GivenValue[] {
  const policy = program.nodes.get(cursor.nodeId)?.parallel?.conflictPolicy ?? 'isolate';
  if (policy === 'isolate') return [];
  const { values, origins } = mergedBranches(program, cursor);
  return [...origins].map(([name, origin]) => ({
    name,
    by: 'merge',
    value: values[name] ?? null,
    merge: { policy, ...origin },
  }));
}

interface ReadPath {
  readonly path: string;
  readonly by: string;
}

/** Paths that a node reads while it runs, each once: its `reads`, and the values in its texts. */
function pathsReadBy(graph: Graph, nodeId: string): readonly ReadPath[] {
  const ofNode = contextReads(graph).filter(({ node }) => node.id === nodeId);
  const declared = ofNode.filter(({ by }) => by === 'reads');
  // A condition and an `assign` see what the stage itself has just set.
  const inTexts = ofNode.filter(
    ({ by, attribute }) => by === 'template' && !attribute.name.startsWith('assign.'),
  );
  const paths = new Map<string, ReadPath>();
  for (const { key, attribute, path: written } of [...declared, ...inTexts]) {
    if (!paths.has(key)) paths.set(key, { path: written, by: attribute.name });
  }
  return [...paths.values()];
}

type ReadingCursor = Pick<
  Cursor,
  'nodeId' | 'branch' | 'context' | 'stages' | 'branchStages' | 'routedOutcome' | 'routedFrom'
>;

function valuesRead(directory: string, graph: Graph, cursor: ReadingCursor): readonly ReadValue[] {
  const { branch, context, routedOutcome, routedFrom } = cursor;
  const scope = {
    result: routedOutcome,
    resultNode: routedFrom,
    stages: stagesSeenBy(cursor),
    lookup: (key: string) => context.get(key),
  };
  const items = [...(branch?.scope ?? [])].filter(([key]) => key !== itemIndexKey);
  return [
    ...items.map(([name, value]): ReadValue => ({ name, by: 'item', value })),
    ...pathsReadBy(graph, cursor.nodeId).map(({ path: name, by }): ReadValue => {
      const value = lookUp(name, scope);
      return { name, by, value: value === undefined ? undefined : textInPlace(directory, value) };
    }),
  ];
}

/** Characters of another stage's text that are shown with the value. */
const textKept = 64_000;

/** Text in place of the reference to it, if it is short enough; else the reference and the beginning of the text. */
function textInPlace(directory: string, value: JsonValue): JsonValue {
  if (!isFileReference(value)) return value;
  const text = readReferenced(directory, value, nodeFileSystem);
  if (text === undefined) return value;
  return text.length <= textKept ? text : { ...value, preview: headOf(text, 2000) };
}
