import type { ProgramEdge, ProgramNode } from '../graph/program.js';
import type {
  EdgeSelected,
  EventHeader,
  ParallelBranchCompleted,
  ParallelBranchStarted,
  RoutingReason,
  RunEvent,
  StageStarted,
} from './event.js';
import { isSuccessful, type Outcome, type StageStatus } from './outcome.js';
import type { CarryoverFields } from './stage.js';
import { mainCursor } from './state.js';
import type { Transition } from './transition.js';

// The events of every step, and of every branch, are written out here, field by field: putting objects together from others, as everywhere
// else, takes longer than all the rest of a no-op step.

type Making<Event> = { -readonly [Key in keyof Event]: Event[Key] } & { description?: string };

/** Which attempt of which visit an event is about. */
export interface AttemptPlace {
  readonly index: number;
  readonly attempt: number;
  readonly visit: number;
}

export function emitStageStarted(
  transition: Transition,
  cursorId: string,
  node: ProgramNode,
  { index, attempt, visit }: AttemptPlace,
  details: CarryoverFields & Pick<StageStarted, 'resumed'>,
): void {
  const event: Making<Omit<EventHeader, 'description'> & StageStarted> = {
    seq: transition.nextSeq,
    timestamp: transition.timestamp,
    run_id: transition.state.runId,
    type: 'StageStarted',
    node_id: node.id,
    name: node.label,
    index,
    attempt,
    visit,
  };
  if (details.resumed) event.resumed = details.resumed;
  if (details.fidelity !== undefined) event.fidelity = details.fidelity;
  if (details.thread_id !== undefined) event.thread_id = details.thread_id;
  if (details.degraded) event.degraded = details.degraded;
  if (cursorId !== mainCursor) event.branch = cursorId;
  transition.record(event as RunEvent);
}

/** How a visit, or an attempt that another one follows, has ended. */
export interface StageEnd {
  readonly type: 'StageCompleted' | 'StageSkipped' | 'StageFailed';
  readonly outcome: Outcome;
  readonly duration: number;
  /** Of a failure. */
  readonly error?: string;
  readonly willRetry?: boolean;
  /** Where its files are now, of a run that commits them. */
  readonly commit?: string;
}

export function emitStageEnded(
  transition: Transition,
  cursorId: string,
  node: ProgramNode,
  { index, attempt, visit }: AttemptPlace,
  end: StageEnd,
): void {
  const event: Record<string, unknown> = {
    seq: transition.nextSeq,
    timestamp: transition.timestamp,
    run_id: transition.state.runId,
    type: end.type,
    node_id: node.id,
    name: node.label,
    index,
    attempt,
    visit,
    duration: end.duration,
  };
  if (end.type === 'StageFailed') {
    event.error = end.error;
    event.will_retry = end.willRetry === true;
  }
  event.outcome = end.outcome;
  if (end.commit !== undefined) event.commit = end.commit;
  if (cursorId !== mainCursor) event.branch = cursorId;
  transition.record(event as unknown as RunEvent);
}

export function emitEdgeSelected(
  transition: Transition,
  cursorId: string,
  edge: ProgramEdge,
  reason: RoutingReason,
): void {
  const event: Making<Omit<EventHeader, 'description'> & EdgeSelected> = {
    seq: transition.nextSeq,
    timestamp: transition.timestamp,
    run_id: transition.state.runId,
    type: 'EdgeSelected',
    from: edge.from,
    to: edge.to,
    reason,
    edge: edge.index,
  };
  if (edge.label !== '') event.label = edge.label;
  if (edge.conditionText !== '') event.condition = edge.conditionText;
  if (edge.loopRestart) event.loop_restart = true;
  if (cursorId !== mainCursor) event.branch = cursorId;
  transition.record(event as RunEvent);
}

/** Which branch of which parallel node an event is about. */
export interface BranchPlace {
  readonly branch: string;
  readonly index: number;
  readonly parallelId: string;
  /** The cursor of the parallel node. */
  readonly parent: string;
}

export function emitBranchStarted(
  transition: Transition,
  { branch, index, parallelId, parent }: BranchPlace,
  isResumed: boolean,
): void {
  const event: Making<Omit<EventHeader, 'description'> & ParallelBranchStarted> = {
    seq: transition.nextSeq,
    timestamp: transition.timestamp,
    run_id: transition.state.runId,
    type: 'ParallelBranchStarted',
    branch,
    index,
    node_id: parallelId,
  };
  if (isResumed) event.resumed = true;
  if (parent !== mainCursor) event.parent = parent;
  transition.record(event as RunEvent);
}

export function emitBranchCompleted(
  transition: Transition,
  { branch, index, parallelId, parent }: BranchPlace,
  end: { readonly status: StageStatus; readonly duration: number; readonly error?: string | undefined },
): void {
  const event: Making<Omit<EventHeader, 'description'> & ParallelBranchCompleted> = {
    seq: transition.nextSeq,
    timestamp: transition.timestamp,
    run_id: transition.state.runId,
    type: 'ParallelBranchCompleted',
    branch,
    index,
    node_id: parallelId,
    duration: end.duration,
    success: isSuccessful(end.status),
    status: end.status,
  };
  if (end.error !== undefined) event.error = end.error;
  if (parent !== mainCursor) event.parent = parent;
  transition.record(event as RunEvent);
}
