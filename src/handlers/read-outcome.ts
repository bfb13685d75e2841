import { z } from 'zod';
import type { JsonValue } from '../graph/json.js';
import { type StageStatus, stageStatuses, statusAliases } from '../graph/stage-status.js';
import { foundText } from '../graph/values/found-text.js';
import { failureCategories } from '../machine/failure-category.js';
import type { Outcome } from '../machine/outcome.js';
import { toJsonValue } from './context.js';
import { describeIssues } from './describe-issues.js';
import { entriesOf } from './entries-of.js';
import { longestWait } from './retry-after.js';

/** Values from JSON; those of a handler are made JSON by `readHandlerResult`. */
const contextUpdates = entriesOf(z.custom<JsonValue>()).transform((updates) => Object.fromEntries(updates));

const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** Fields of an outcome besides its status (Appendix C), in a handler's result, a status file or a script. */
export const outcomeDetails = {
  preferred_label: optional(z.string()),
  suggested_next_ids: optional(z.array(z.string())),
  context_updates: optional(contextUpdates),
  notes: optional(z.string()),
  failure_reason: optional(z.string()),
  retryable: optional(z.boolean()),
  failure_category: optional(z.enum(failureCategories)),
  retry_after_ms: optional(
    z
      .number()
      .nonnegative()
      .transform((wait) => Math.min(wait, longestWait)),
  ),
} as const;

/** Status word, lower case (SEMANTICS 84). */
export const statusSchema = z.enum(stageStatuses);

const handlerResult = z.object({
  status: z.unknown().optional(),
  custom_outcome: z.unknown().optional(),
  ...outcomeDetails,
});

export type ReadOutcome =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** Everything but a status, which `auto_status` may supply (SEMANTICS 62). */
  | { readonly kind: 'without_status'; readonly details: Omit<Outcome, 'status'> }
  | { readonly kind: 'invalid'; readonly problem: string };

export interface OutcomeOptions {
  /** True if unknown words are successes, and conditions see them as they are (SEMANTICS 44g). */
  readonly customOutcomes?: boolean;
}

/**
 * Checks the result of a handler: an outcome may come from code that no compiler has seen (§4.12).
 * @param onLoss called with the key of every context update that is not JSON, of which only a text is kept
 * (SEMANTICS 66a)
 */
export function readHandlerResult(
  value: unknown,
  onLoss: (key: string) => void,
  { customOutcomes = false }: OutcomeOptions = {},
): ReadOutcome {
  if (value === undefined || value === null) return { kind: 'without_status', details: {} };
  const simple = simpleOutcome(value);
  if (simple !== undefined) return { kind: 'outcome', outcome: simple };
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { kind: 'invalid', problem: `invalid outcome: expected an object, found ${foundText(value)}` };
  }
  const parsed = handlerResult.safeParse(value);
  if (!parsed.success)
    return { kind: 'invalid', problem: `invalid outcome: ${describeIssues(parsed.error, value)}` };
  const { status, custom_outcome: custom, context_updates: updates, ...rest } = parsed.data;
  const details = withoutUnset({ ...rest, context_updates: updates && jsonUpdates(updates, onLoss) });
  if (custom !== undefined && custom !== null)
    return readCustomOutcome(custom, status, details, customOutcomes);
  if (status === undefined || status === null) return { kind: 'without_status', details };
  const word = statusSchema.safeParse(status);
  if (word.success) return { kind: 'outcome', outcome: { status: word.data, ...details } };
  if (customOutcomes && isCustomOutcome(status)) {
    return { kind: 'outcome', outcome: { status: 'success', custom_outcome: status, ...details } };
  }
  const known = stageStatuses.join(', ');
  const others = customOutcomes ? ', or a custom word that does not resemble one of them' : '';
  return {
    kind: 'invalid',
    problem: `invalid outcome ${foundText(status)}; it must be one of ${known}${others}`,
  };
}

/** Reads a custom word next to the status that it counts as, in the form of an `Outcome`. */
function readCustomOutcome(
  word: unknown,
  status: unknown,
  details: Omit<Outcome, 'status'>,
  isAllowed: boolean,
): ReadOutcome {
  const found = `invalid outcome: custom_outcome ${foundText(word)}`;
  if (!isAllowed) {
    return { kind: 'invalid', problem: `${found}; this run allows none (customOutcomes, --custom-outcomes)` };
  }
  if (status !== 'success') {
    return {
      kind: 'invalid',
      problem: `${found} with the status ${foundText(status)}; a custom outcome counts as a success, so its status must be success`,
    };
  }
  if (isCustomOutcome(word)) {
    return { kind: 'outcome', outcome: { status: 'success', custom_outcome: word, ...details } };
  }
  return { kind: 'invalid', problem: `${found}; a custom outcome must not resemble a status` };
}

/**
 * Outcome of a status with notes, as no-op stages return it, or also with single values for the context, as tools do;
 * checking it by the schema would take longer than the rest of a stage that does nothing.
 */
function simpleOutcome(value: unknown): Outcome | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { status, notes, context_updates: updates } = value as Partial<Outcome>;
  if (status === undefined || !statusWords.has(status)) return undefined;
  for (const key in value) if (!simpleFields.has(key)) return undefined;
  if (typeof notes !== 'string')
    return 'notes' in value || 'context_updates' in value ? undefined : { status };
  if (updates === undefined) return 'context_updates' in value ? undefined : { status, notes };
  const context_updates = singleValues(updates);
  return context_updates && { status, notes, context_updates };
}

const simpleFields: ReadonlySet<string> = new Set(['status', 'notes', 'context_updates']);

/** Copy of an object whose members are neither objects nor lists, and are JSON. */
function singleValues(updates: object): Readonly<Record<string, JsonValue>> | undefined {
  if (updates === null || typeof updates !== 'object' || Array.isArray(updates)) return undefined;
  const entries = Object.entries(updates);
  return entries.every(([, value]) => isSingleValue(value)) ? Object.fromEntries(entries) : undefined;
}

function isSingleValue(value: unknown): value is JsonValue {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

const statusWords: ReadonlySet<StageStatus> = new Set(stageStatuses);

/** Words that look like a status, which must not count as a success because of a capital letter. */
const likeStatuses: ReadonlySet<string> = new Set([
  ...stageStatuses,
  ...statusAliases.keys(),
  ...['failure', 'failing', 'errored', 'retrying', 'skip', 'ok', 'successful', 'partial'],
]);

/** True for a word that can be used in a condition, and is not a status nor like one. */
export function isCustomOutcome(word: unknown): word is string {
  if (typeof word !== 'string' || !/^[A-Za-z_][\w.-]{0,99}$/.test(word)) return false;
  return !likeStatuses.has(word.toLowerCase().replaceAll(/[.-]/g, '_'));
}

/** Reads a status file (Appendix C, SEMANTICS 61). */
export function readStatusFile(
  text: string,
  options: OutcomeOptions = {},
): Exclude<ReadOutcome, { kind: 'without_status' }> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { kind: 'invalid', problem: 'it is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'invalid', problem: 'it is not an object with an "outcome"' };
  }
  const read = readHandlerResult(inOwnWords(value), () => undefined, options);
  return read.kind === 'without_status' ? { kind: 'invalid', problem: 'it has no "outcome"' } : read;
}

/** Normalizes a status file, which may say `outcome` or `status`, and call the label by either name. */
function inOwnWords(written: object): object {
  const fields: Readonly<Record<string, unknown>> = { ...written };
  const word = fields.outcome ?? fields.status;
  return {
    ...fields,
    status: (typeof word === 'string' ? statusAliases.get(word) : undefined) ?? word,
    preferred_label: fields.preferred_label || fields.preferred_next_label,
  };
}

function jsonUpdates(
  updates: Readonly<Record<string, unknown>>,
  onLoss: (key: string) => void,
): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(
    Object.entries(updates).map(([key, value]) => [key, toJsonValue(value, () => onLoss(key))]),
  );
}

type Details = Omit<Outcome, 'status'>;

function withoutUnset(details: { readonly [Key in keyof Details]: Details[Key] | undefined }): Details {
  return Object.fromEntries(Object.entries(details).filter(([, field]) => field !== undefined));
}

/** Status file of an outcome (SEMANTICS 61): all keys of Appendix C, the label under both of its names. */
export function statusFileText(outcome: Outcome): string {
  const label = outcome.preferred_label ?? '';
  const content = {
    outcome: outcome.custom_outcome ?? outcome.status,
    preferred_label: label,
    preferred_next_label: label,
    suggested_next_ids: outcome.suggested_next_ids ?? [],
    context_updates: outcome.context_updates ?? {},
    notes: outcome.notes ?? '',
    failure_reason: outcome.failure_reason ?? '',
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
