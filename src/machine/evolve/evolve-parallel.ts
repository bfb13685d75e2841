import type { JsonValue } from '../../graph/json.js';
import { branchEdge, branchName, type Parallel } from '../../graph/parallel.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { type BranchValues, type MergedValues, mergeValues } from '../../graph/values/merge-values.js';
import { type CursorDraft, changeCursor, type Draft, type ForkDraft } from '../draft.js';
import type {
  ParallelBranchCompleted,
  ParallelBranchStarted,
  ParallelCompleted,
  ParallelItems,
  ParallelStarted,
} from '../event.js';
import { resumedBranch, skipFinished } from '../failed-fork.js';
import { filesAfter, filesAt, filesBeforeKey, lineOf, resumesInside } from '../files.js';
import { itemScope, withItems } from '../item-scope.js';
import { isSuccessful } from '../outcome.js';
import { persistentMap } from '../persistent.js';
import { ownStages } from '../seen-stages.js';
import { arrivingCursor, type BranchResult, type Cursor, type Fork, mainCursor } from '../state.js';

/** Items of a long list, before the rest of them. */
export function parallelItems(cursor: CursorDraft, { offset, items }: ParallelItems): void {
  cursor.items = [...(cursor.items ?? []).slice(0, offset), ...items];
}

export function parallelStarted(cursor: CursorDraft, event: ParallelStarted, at: number): void {
  const before = event.kept === undefined ? undefined : cursor.failedFork?.fork;
  cursor.phase = 'forked';
  cursor.files = filesAfter(cursor.files, event.commit);
  cursor.failedFork = undefined;
  cursor.items = itemsOf(event, cursor, before?.items);
  const fork: ForkDraft = {
    startedAt: at,
    count: event.branch_count,
    items: cursor.items,
    next: 0,
    results: persistentMap(),
    successes: 0,
    failures: 0,
    terminalFailures: 0,
    error: undefined,
    unfinished: persistentMap(),
    files: persistentMap(),
    stages: persistentMap(),
    before,
  };
  skipFinished(fork);
  cursor.fork = fork;
}

/** Items of all branches: the last ones are in the event, unless those of before are used again. */
function itemsOf(
  { items, branch_count }: ParallelStarted,
  cursor: CursorDraft,
  before: Fork['items'],
): Fork['items'] {
  if (items === undefined) return before ?? cursor.items;
  const known = branch_count - items.length;
  return known === 0 ? items : [...(cursor.items ?? []).slice(0, known), ...items];
}

/** A branch begins with its own context, which shares unchanged values (SEMANTICS 51, 69). */
export function branchStarted(
  program: Program,
  draft: Draft,
  event: ParallelBranchStarted,
  at: number,
): void {
  const { branch: id, index, node_id: parallelId, parent: parentId = mainCursor } = event;
  const parent = changeCursor(draft, parentId);
  const node = program.nodes.get(parallelId);
  const edge = node && branchEdge(node, index);
  if (parent.fork === undefined || edge === undefined)
    throw new Error(`nothing can start the branch "${id}"`);
  const fork: ForkDraft = { ...parent.fork, next: index + 1 };
  skipFinished(fork);
  parent.fork = fork;
  const scope = itemScope(node, fork.items, index, parent.branch?.scope);
  const branch = { parent: parentId, parallelId, index, startedAt: at, scope };
  const line = parent.files && lineOf(id, parent, draft.restarts);
  const left = event.resumed ? fork.before?.unfinished.get(index) : undefined;
  if (left !== undefined) {
    const hasFailed = fork.before?.results.get(index)?.status === 'fail';
    const cursor = resumedBranch(program, id, left, branch, hasFailed);
    const isUndone = hasFailed && !resumesInside(program, cursor.nodeId);
    const before = isUndone ? draft.filesBefore.get(filesBeforeKey(cursor.nodeId, id)) : undefined;
    const files = before ?? left.files;
    draft.cursors.set(id, {
      ...cursor,
      fork: undefined,
      files: files && { ...files, line: line ?? files.line },
    });
    return;
  }
  const context = parent.context.has('preferred_label')
    ? parent.context.set('preferred_label', '')
    : parent.context;
  const cursor = arrivingCursor(id, edge.to, withItems(context, scope), { branch, incomingEdge: edge.index });
  const files = parent.files && filesAt(parent.files.commit, line);
  const { stages, branchStages } = parent;
  draft.cursors.set(id, { ...cursor, stages, branchStages, files });
}

export function branchCompleted(program: Program, draft: Draft, event: ParallelBranchCompleted): void {
  const { branch: id, index, parent: parentId = mainCursor } = event;
  const parent = changeCursor(draft, parentId);
  const cursor = draft.cursors.get(id);
  if (parent.fork === undefined || cursor === undefined)
    throw new Error(`there is no branch "${id}" to complete`);
  const fork: ForkDraft = { ...parent.fork };
  parent.fork = fork;
  const hasFailed = event.status === 'fail';
  const isTerminal = hasFailed && cursor.routedOutcome?.retryable === false;
  const node = program.nodes.get(event.node_id);
  fork.results = fork.results.set(index, withItem(resultOf(node, cursor, event), fork.items, index));
  if (cursor.files !== undefined) fork.files = fork.files.set(index, cursor.files);
  const own = ownStages(program, parent, cursor);
  if (own !== undefined) fork.stages = fork.stages.set(index, own);
  if (event.success) fork.successes += 1;
  if (hasFailed) fork.failures += 1;
  if (isTerminal) fork.terminalFailures += 1;
  if (hasFailed || wasStopped(event)) fork.unfinished = fork.unfinished.set(index, asLeft(cursor));
  if (hasFailed || draft.failedBranches.has(id))
    draft.failedBranches = draft.failedBranches.set(id, hasFailed);
  draft.cursors.delete(id);
}

/** True for a branch that was stopped: one that ends skipped by itself has no error. */
function wasStopped({ status, error }: ParallelBranchCompleted): boolean {
  return status === 'skipped' && error !== undefined;
}

/** Cursor of a stopped branch, as it was left; the branches inside of it have ended before. */
function asLeft(cursor: Cursor): Cursor {
  return { ...cursor, fork: undefined };
}

const nothing = {};

function resultOf(
  node: ProgramNode | undefined,
  cursor: Cursor,
  event: ParallelBranchCompleted,
): BranchResult {
  const outcome = cursor.routedOutcome ?? cursor.outcome;
  const score = Number(cursor.context.get('score') ?? 0);
  return {
    id: resultId(node, event.index) ?? event.branch,
    status: event.status,
    outcome: event.status,
    notes: wasStopped(event) ? (event.error ?? '') : (outcome?.notes ?? ''),
    failure_reason: event.error ?? '',
    score: Number.isFinite(score) ? score : 0,
    context_updates: cursor.updates.size === 0 ? nothing : Object.fromEntries(cursor.updates),
    completed_nodes: cursor.completed.toArray(),
    duration_ms: event.duration,
  };
}

/** Id of a branch in the results: its first node, numbered under `foreach`. */
function resultId(node: ProgramNode | undefined, index: number): string | undefined {
  if (node?.parallel?.foreach !== undefined) return branchName(node.parallel, index);
  return node?.edges[index]?.to;
}

function withItem(result: BranchResult, items: Fork['items'], index: number): BranchResult {
  if (items === undefined) return result;
  const { id, ...rest } = result;
  return { id, item: items[index] ?? null, ...rest };
}

/** The branches have met or timed out; the node settles next. */
export function parallelCompleted(cursor: CursorDraft, { error }: ParallelCompleted): void {
  cursor.phase = 'running';
  if (cursor.fork !== undefined) cursor.fork = { ...cursor.fork, error };
}

/**
 * Context updates of a parallel node (SEMANTICS 50): the results of its branches in the order of its edges,
 * or of its items, and their counts. Under `error_policy=ignore` failures are left out (SEMANTICS 52); a
 * branch that never began is skipped.
 */
export function parallelResults(program: Program, cursor: Cursor): Readonly<Record<string, JsonValue>> {
  const node = program.nodes.get(cursor.nodeId);
  const { fork } = cursor;
  if (fork === undefined || node?.parallel === undefined) return {};
  const results = countedBranches(program, cursor).map(
    (index) =>
      fork.results.get(index) ?? withItem(neverStarted(resultId(node, index) ?? ''), fork.items, index),
  );
  return {
    ...countOfItems(cursor, fork),
    'parallel.results': results as unknown as JsonValue,
    'parallel.count': results.length,
    'parallel.success_count': results.filter(({ status }) => isSuccessful(status)).length,
    'parallel.fail_count': results.filter(({ status }) => status === 'fail').length,
  };
}

/**
 * Values of the branches that have not failed, together (SEMANTICS 107). They follow from the results, so
 * that an event holds none of them again.
 */
export function mergedBranches(program: Program, { nodeId, fork }: Cursor): MergedValues {
  const parallel = program.nodes.get(nodeId)?.parallel;
  if (fork === undefined || parallel === undefined) return mergeValues([], 'isolate');
  return mergeValues(valuesInOrder(parallel, fork), parallel.conflictPolicy);
}

function* valuesInOrder(parallel: Parallel, { results, count }: Fork): Iterable<BranchValues> {
  for (let index = 0; index < count; index += 1) {
    const result = results.get(index);
    if (result !== undefined && isSuccessful(result.status))
      yield { branch: branchName(parallel, index), values: result.context_updates };
  }
}

/** Branches that count, in their order: all, or under `error_policy=ignore` those that have not failed (SEMANTICS 52). */
export function countedBranches(program: Program, { nodeId, fork }: Cursor): readonly number[] {
  const ignoresFailures = program.nodes.get(nodeId)?.parallel?.errorPolicy === 'ignore';
  const hasFailed = (index: number): boolean => fork?.results.get(index)?.status === 'fail';
  const indices = Array.from({ length: fork?.count ?? 0 }, (_, index) => index);
  return ignoresFailures ? indices.filter((index) => !hasFailed(index)) : indices;
}

/** Number of items under `foreach`; cleared by a later parallel node, whose branches are not items. */
function countOfItems(
  { context }: Pick<Cursor, 'context'>,
  { items }: Pick<Fork, 'items'>,
): Readonly<Record<string, JsonValue>> {
  if (items === undefined && (context.get('parallel.items') ?? null) === null) return {};
  return {
    'parallel.items': items?.length ?? null,
  };
}

function neverStarted(id: string): BranchResult {
  return {
    id,
    status: 'skipped',
    outcome: 'skipped',
    notes: 'the branch was not started, because it no longer mattered',
    failure_reason: '',
    score: 0,
    context_updates: {},
    completed_nodes: [],
    duration_ms: 0,
  };
}
