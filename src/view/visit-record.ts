import type { StageStarted } from '../machine/event.js';
import type { Usage } from '../machine/usage.js';
import { headOf } from './cut-text.js';
import type { StageVisit, VisitRow } from './stage-schema.js';

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

export type AttemptRecord = Writable<StageVisit['attempts'][number]>;

/** What more there is to say of a visit than stands in a line. */
export interface VisitDetails {
  contextUpdates: StageVisit['context_updates'];
  readonly questions: Writable<StageVisit['questions'][number]>[];
  readonly toolUses: (Writable<StageVisit['tool_uses'][number]> & { readonly callId: string })[];
  readonly log: StageVisit['log'][number][];
  output: string;
}

/** A visit while its events are read: what becomes of it is not known yet. */
export interface VisitRecord extends Writable<Omit<VisitRow, 'attempts' | 'usage'>> {
  readonly attempts: AttemptRecord[];
  usage: Usage | null;
  /** Where the stage keeps its files, relative to the run directory. */
  readonly place: string;
  /** The `visit-<n>` to which the next visit at this place has moved them (SEMANTICS 71a); undefined of the latest one. */
  archivedAs: number | undefined;
  /** Undefined of what has to stand in a line. */
  details: VisitDetails | undefined;
}

/** A visit that begins. @param ordinal of all visits of the node */
export function visitRecord(
  event: StageStarted & { readonly timestamp: string },
  ordinal: number,
  where: { readonly place: string; readonly restart: number },
): VisitRecord {
  const { node_id, name, index, branch = null, timestamp: started_at } = event;
  return {
    node_id,
    name,
    visit: ordinal,
    index,
    restart: where.restart,
    branch,
    started_at,
    ended_at: null,
    status: 'running',
    attempts: [],
    notes: null,
    failure_reason: null,
    preferred_label: null,
    next: null,
    usage: null,
    tool_calls: 0,
    place: where.place,
    archivedAs: undefined,
    details: { contextUpdates: {}, questions: [], toolUses: [], log: [], output: '' },
  };
}

/** Characters of what a line says of an outcome. */
export const wordsInRow = 500;

/** Keeps no more of a visit than stands in a line. */
export function shorten(visit: VisitRecord): void {
  const { notes, failure_reason: reason } = visit;
  visit.details = undefined;
  visit.notes = notes === null ? null : headOf(notes, wordsInRow);
  visit.failure_reason = reason === null ? null : headOf(reason, wordsInRow);
}

/** The visit as a reader is told of it in a line. */
export function rowOf(record: VisitRecord): VisitRow {
  const { place: _place, archivedAs: _archivedAs, details: _details, usage, ...row } = record;
  return { ...row, usage: usage === null ? null : { ...usage } };
}
