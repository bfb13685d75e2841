import type { JsonValue } from './json.js';
import { isList, isPresent, type KeyScope, keysAround, lookUp, textOfValue } from './look-up.js';
import { cutMark } from './values/cut-mark.js';
import { isFileReference } from './values/file-reference.js';
import { readsFile, stagePathOf } from './values/seen-stages.js';
import { everyMember } from './values/walk.js';

/** Value of which the context has only a part, so that no condition can be decided by it (SEMANTICS 110). */
export interface UnreadableValue {
  readonly kind: 'cut' | 'put_aside' | 'file';
  readonly key: string;
  readonly bytes: number;
}

/** Values that are cut: of a tool's output the context has the end (SEMANTICS 59). */
const cutKeys = ['tool.output', 'tool.stderr'] as const;

/**
 * Reason why a key cannot be read; undefined if it can.
 * @param value found under the key
 */
export function unreadableValue(
  key: string,
  value: JsonValue | undefined,
  scope: KeyScope,
): UnreadableValue | undefined {
  const stagePath = stagePathOf(key);
  if (stagePath !== undefined && readsFile(stagePath)) return fileOfStage(key, value);
  if (typeof value === 'string') return cutValue(key, scope);
  if (value === undefined) return insideReference(key, scope);
  if (key.includes(star) && value !== null && isList(value)) {
    const unreadable = unreadableMember(key, value, scope);
    if (unreadable !== undefined) return unreadable;
  }
  const bytes = bytesPutAside(value);
  return bytes === undefined ? undefined : { kind: 'put_aside', key, bytes };
}

/** Reason for the whole answer or output of a stage, if there is one (SEMANTICS 104). */
function fileOfStage(key: string, value: JsonValue | undefined): UnreadableValue | undefined {
  if (!isPresent(value)) return undefined;
  const members: readonly JsonValue[] = isList(value) ? value : [value];
  const sizes = members.map((one) => (isFileReference(one) ? one.bytes : textOfValue(one).length));
  return { kind: 'file', key, bytes: Math.max(0, ...sizes) };
}

const star = `.${everyMember}`;

/** Reason for the first member of a list that a `*` has made, with its own key. */
function unreadableMember(
  key: string,
  members: readonly JsonValue[],
  scope: KeyScope,
): UnreadableValue | undefined {
  for (const [index, member] of members.entries()) {
    if (typeof member === 'number' || typeof member === 'boolean') continue;
    const memberKey = key.replace(star, `.${index}`);
    const unreadable = unreadableValue(memberKey, member ?? undefined, scope);
    if (unreadable !== undefined) return unreadable;
  }
  return undefined;
}

function cutValue(key: string, scope: KeyScope): UnreadableValue | undefined {
  const cut = cutKeys.find((one) => key.endsWith(one));
  if (cut === undefined) return undefined;
  const bytes = lookUp(key.slice(0, -cut.length) + cutMark(cut), scope);
  return typeof bytes === 'number' ? { kind: 'cut', key, bytes } : undefined;
}

/** Reason for a member of an object that was stored as an artifact as a whole. */
function insideReference(key: string, scope: KeyScope): UnreadableValue | undefined {
  for (const around of keysAround(key)) {
    const value = lookUp(around, scope);
    if (!isPresent(value)) continue;
    const bytes = isReference(value) ? bytesPutAside(value) : undefined;
    return bytes === undefined ? undefined : { kind: 'put_aside', key: around, bytes };
  }
  return undefined;
}

/** Size in bytes of the first part of a value that is an artifact; undefined if there is none. */
export function bytesPutAside(value: JsonValue): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isReference(value)) return value.size_bytes;
  const members: readonly JsonValue[] = isList(value) ? value : Object.values(value);
  for (const member of members) {
    const bytes = bytesPutAside(member);
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

interface Reference {
  readonly [field: string]: JsonValue;
  readonly size_bytes: number;
}

/** True for the mark of a value that is stored as an artifact: `ArtifactReference` of the run directory. */
function isReference(value: JsonValue): value is Reference {
  if (typeof value !== 'object' || value === null || isList(value)) return false;
  const { $artifact, size_bytes, preview } = value as Readonly<Record<string, JsonValue>>;
  return typeof $artifact === 'string' && typeof size_bytes === 'number' && typeof preview === 'string';
}

/** Reason of the failure of a stage whose route would depend on such a value. */
export function explainUnreadable({ kind, key, bytes }: UnreadableValue): string {
  if (kind === 'cut')
    return `the condition reads \`${key}\`, which has ${bytes} bytes, and the context only has the last 64 KiB of them: test \`tool.last_line\`, print JSON (output=json), or let the command decide by its exit code`;
  if (kind === 'file')
    return `the condition reads \`${key}\`, which is a file of ${bytes} bytes, and conditions decide without files: let a stage read it and set a small key, or test \`outcome\`, \`json\` or \`notes\` of the stage`;
  return `the condition reads \`${key}\`, whose ${bytes} bytes are in an artifact, because they are too large for the context: test a smaller value under its own key, such as a part that an assign.* sets`;
}
