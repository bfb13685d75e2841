import type { JsonValue } from '../../graph/json.js';
import type { Artifacts } from '../../handlers/artifacts.js';
import type { Question } from '../../machine/interview.js';
import { failure, type Outcome } from '../../machine/outcome.js';
import { firstCharacters, referenceTo } from '../../run-directory/artifact-reference.js';
import { longestText, textKept } from '../../run-directory/bounded-text.js';
import { byteLength } from '../../run-directory/byte-length.js';
import { RunError } from '../../run-directory/run-error.js';
import { sha256 } from '../../run-directory/sha256.js';
import { withStoredArtifacts } from '../../run-directory/stage-artifacts.js';

/** Key of an outcome, unique in a run, and the same when the attempt runs again after a crash. */
export interface AttemptKey {
  readonly nodeId: string;
  /** Ordinal of the visit in the run. */
  readonly index: number;
  readonly attempt: number;
}

type Store = Pick<Artifacts, 'store'>;

type Values = Readonly<Record<string, JsonValue>>;

/** Bytes of JSON for one value in the context, as for artifacts in memory (§5.5). */
const longestValue = 102_400;

/** Bytes of JSON for all updates of one outcome together. */
export const longestUpdates = 160 * 1024;

const previewKept = 200;
const shortPreview = 40;

/** Bytes of a value below which a reference with a short preview would hardly be smaller. */
const smallestSaving = 200;

/** Maximum size of a reference in bytes, whatever its preview. */
const largestReference = 2048;

/**
 * Outcome whose event stays below 256 KB (DESIGN §2): large values become artifacts, replaced by a
 * reference or the beginning of the text. In an object its largest members go first, so that conditions
 * still see the rest; the outcome names the artifacts. One that cannot be made small is a failure, which
 * says so.
 */
export function externalizeOutcome(outcome: Outcome, attempt: AttemptKey, artifacts: Store): Outcome {
  if (fits(outcome)) return outcome;
  const stored = new Set<string>();
  const small = makeSmall(outcome, attempt, {
    store(id, name, data) {
      stored.add(id);
      return artifacts.store(id, name, data);
    },
  });
  return withStoredArtifacts(small, { stored });
}

function makeSmall(outcome: Outcome, attempt: AttemptKey, artifacts: Store): Outcome {
  const { preferred_label, suggested_next_ids, context_updates, assigned, notes, failure_reason } = outcome;
  const base = `${fileSafe(attempt.nodeId, 40)}.${attempt.index}.${attempt.attempt}`;
  const shorten = (name: string, text: string | undefined): string | undefined =>
    text === undefined ? undefined : shortened(text, `${base}.${name}`, name, artifacts);
  const texts = {
    notes: shorten('notes', notes),
    failure_reason: shorten('failure_reason', failure_reason),
  };
  const routing = sizeOf([preferred_label ?? '', ...(suggested_next_ids ?? [])]);
  if (routing > longestText) {
    return tooLarge(
      `the preferred label and the suggested node ids of the stage take ${routing} bytes, but at most ${longestText} can be kept`,
    );
  }
  if (context_updates === undefined && assigned === undefined) return { ...outcome, ...texts };
  const values = externalizeTogether({ context: context_updates, assigned }, base, artifacts);
  const { context: updates = {}, assigned: smallAssigned } = values;
  const left = sizeOf(updates) + (smallAssigned === undefined ? 0 : sizeOf(smallAssigned));
  if (left > longestUpdates) {
    return tooLarge(
      `the stage set ${Object.keys({ ...updates, ...smallAssigned }).length} context keys, which take ${left} bytes although their values were put aside; at most ${longestUpdates} can be kept: put them into one object under one key`,
    );
  }
  return { ...outcome, ...texts, context_updates: context_updates && updates, assigned: smallAssigned };
}

/**
 * Inputs of a run for its journal: large values become artifacts, as in an outcome.
 * @param base prefix of the artifacts' ids
 * @throws RunError `usage` if they are too many for an event
 */
export function externalizeInputs(values: Values, base: string, artifacts: Store): Values {
  if (bound(values, longestValue) <= longestValue) return values;
  const small = externalizeValues(values, base, artifacts);
  const left = sizeOf(small);
  if (left <= longestUpdates) return small;
  throw new RunError(
    'usage',
    `the run is given ${Object.keys(values).length} inputs, which take ${left} bytes although their values were put aside; at most ${longestUpdates} can be kept: put them into one object under one key`,
  );
}

/** Bytes of JSON for one item of a list that is too long for one event. */
const longestItem = 4096;

/**
 * Items of a list for the journal, in parts that an event can hold (DESIGN §2). If that takes several
 * parts, large items become artifacts, of an object its largest members.
 * @param base prefix of the artifacts' ids
 */
export function externalizeItems(
  items: readonly JsonValue[],
  attempt: AttemptKey,
  artifacts: Store,
): readonly (readonly JsonValue[])[] {
  if (bound(items, longestUpdates) <= longestUpdates) return [items];
  const base = `${fileSafe(attempt.nodeId, 40)}.${attempt.index}.${attempt.attempt}`;
  const parts: JsonValue[][] = [];
  let part: JsonValue[] = [];
  let size = 0;
  for (const [index, item] of items.entries()) {
    const small = shrink(item, longestItem, { base, path: [`item-${index + 1}`], artifacts });
    const bytes = sizeOf(small) + 1;
    if (size + bytes > longestUpdates) {
      parts.push(part);
      part = [];
      size = 0;
    }
    part.push(small);
    size += bytes;
  }
  return [...parts, part];
}

/** Bytes of JSON for a question besides its text. */
const longestQuestion = 64 * 1024;

/**
 * Question that an event can hold (DESIGN §2): a text that is too long becomes an artifact, and its
 * beginning is asked.
 * @throws Error if its options, its metadata or its default are too large: a person could not do without
 * them
 */
export function externalizeQuestion(question: Question, artifacts: Store): Question {
  const rest = sizeOf({ ...question, text: '' } as unknown as JsonValue);
  if (rest > longestQuestion) {
    throw new Error(
      `the question of "${question.stage}" takes ${rest} bytes without its text; its options, metadata and default may take ${longestQuestion}`,
    );
  }
  const text = shortened(question.text, `${fileSafe(question.id, 60)}.question`, 'question', artifacts);
  return { ...question, text };
}

/** Store that keeps nothing, for checks only. */
const nowhere: Store = {
  store: (id, name, data) => ({
    id,
    name,
    size_bytes: byteLength(JSON.stringify(data)),
    stored_at: '',
    is_file_backed: false,
  }),
};

/** Outcome as `externalizeOutcome` makes it, with references to artifacts that are not stored. */
export function externalizedCopy(outcome: Outcome, attempt: AttemptKey): Outcome {
  return fits(outcome) ? outcome : makeSmall(outcome, attempt, nowhere);
}

/**
 * Checks that a run can have these inputs, before anything is created.
 * @throws RunError `usage`
 */
export function checkInputs(values: Values): void {
  externalizeInputs(values, 'inputs', nowhere);
}

/**
 * Values by key for the journal, large ones as references.
 * @param base prefix of the artifacts' ids
 */
export function externalizeValues(values: Values, base: string, artifacts: Store): Values {
  return externalizeTogether({ context: values }, base, artifacts).context ?? {};
}

/** Groups of values, which are parts of the artifacts' ids. */
type ValueGroups = Readonly<Partial<Record<'context' | 'assigned', Values>>>;

/** Several groups of values for one event, which share its size. */
function externalizeTogether(groups: ValueGroups, base: string, artifacts: Store): ValueGroups {
  const kept = (['context', 'assigned'] as const).flatMap((group) =>
    Object.entries(groups[group] ?? {}).map(([key, value]) => {
      const place: Place = { base: `${base}.${group}`, path: [key], artifacts };
      const small = shrink(value, longestValue, place);
      return { group, key, value, place, small, size: sizeOf(small) };
    }),
  );
  let total = kept.reduce((sum, { key, size }) => sum + sizeOf(key) + size + 2, 2);
  for (const entry of kept.toSorted((one, other) => other.size - one.size)) {
    if (total <= longestUpdates || entry.size <= smallestSaving) break;
    // The original value, because an artifact must hold no references.
    const reference = putAside(entry.value, entry.place, shortPreview);
    const saved = entry.size - sizeOf(reference);
    if (saved <= 0) continue;
    entry.small = reference;
    total -= saved;
  }
  const valuesOf = (wanted: keyof ValueGroups): Values | undefined =>
    groups[wanted] &&
    Object.fromEntries(kept.flatMap(({ group, key, small }) => (group === wanted ? [[key, small]] : [])));
  return { context: valuesOf('context'), assigned: valuesOf('assigned') };
}

/** Position of a value in the updates. */
interface Place {
  readonly base: string;
  readonly path: readonly string[];
  readonly artifacts: Store;
}

/** Value of at most that many bytes: itself, an object without its largest members, or a reference. */
function shrink(value: JsonValue, limit: number, place: Place): JsonValue {
  const size = sizeOf(value);
  if (size <= limit) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return putAside(value, place);
  const members = Object.entries(value).map(([key, member]) => ({ key, member, size: sizeOf(member) }));
  const kept = new Map(Object.entries(value));
  let total = size;
  for (const { key, member, size: before } of members.sort((one, other) => other.size - one.size)) {
    if (total <= limit || before <= largestReference) break;
    const room = Math.max(largestReference, limit - (total - before));
    const small = shrink(member, room, { ...place, path: [...place.path, key] });
    kept.set(key, small);
    total += sizeOf(small) - before;
  }
  return total <= limit ? Object.fromEntries(kept) : putAside(value, place);
}

function putAside(value: JsonValue, place: Place, preview = previewKept): JsonValue {
  const id = `${place.base}.${idOfPath(place.path)}`;
  return referenceTo(place.artifacts.store(id, place.path.join('.'), value), value, preview);
}

function shortened(text: string, id: string, name: string, artifacts: Store): string {
  const size = sizeOf(text);
  if (size <= longestText) return text;
  artifacts.store(id, name, text);
  return `${firstCharacters(text, textKept)} … (the beginning of ${byteLength(text)} bytes; artifact "${id}" has it all)`;
}

function tooLarge(reason: string): Outcome {
  return failure(reason, { retryable: false, failure_category: 'terminal' });
}

/**
 * Part of an id for a key: the key itself if possible; else its valid characters, with a hash that
 * distinguishes it.
 */
function idOfPath(path: readonly string[]): string {
  const [key = ''] = path;
  return path.length === 1 ? fileSafe(key, 60) : hashed(path.join('.'), JSON.stringify(path), 60);
}

function fileSafe(text: string, limit: number): string {
  return text.length <= limit && /^[\w.-]+$/.test(text) ? text : hashed(text, text, limit);
}

const hashLength = 12;

function hashed(text: string, identity: string, limit: number): string {
  const hash = sha256(identity).slice(0, hashLength);
  return `${text.replaceAll(/[^\w.-]/g, '_').slice(0, limit - hashLength - 1)}-${hash}`;
}

function sizeOf(value: JsonValue | readonly string[]): number {
  return byteLength(JSON.stringify(value));
}

const noIds: readonly string[] = [];

/** True for small outcomes, which are recognized without writing them as JSON. */
function fits(outcome: Outcome): boolean {
  const { preferred_label = '', suggested_next_ids = noIds, notes = '' } = outcome;
  const { context_updates, assigned } = outcome;
  return (
    textBound(notes) <= longestText &&
    textBound(outcome.failure_reason ?? '') <= longestText &&
    textBound(preferred_label) + bound(suggested_next_ids, longestText) <= longestText &&
    boundOf(context_updates) + boundOf(assigned) <= longestValue
  );
}

function boundOf(values: Values | undefined): number {
  return values === undefined ? 0 : bound(values, longestValue);
}

/** Upper bound for a text: one character is at most six bytes, as `\u0000`. */
function textBound(text: string): number {
  return 6 * text.length + 2;
}

/** Upper bound for the bytes of the value as JSON; counting ends above the limit. */
function bound(value: JsonValue | readonly string[], limit: number): number {
  if (typeof value === 'string') return textBound(value);
  if (typeof value !== 'object' || value === null) return 25;
  let total = 2;
  const members = value as Readonly<Record<string, JsonValue>>;
  for (const key of Object.keys(members)) {
    total += textBound(key) + 2 + bound(members[key] ?? null, limit - total);
    if (total > limit) break;
  }
  return total;
}
