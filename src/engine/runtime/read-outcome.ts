import { z } from 'zod';
import type { JsonValue } from '../../graph/json.js';
import { toJsonValue } from '../handlers/context.js';
import type { Outcome, StageStatus } from '../machine/outcome.js';
import { entriesOf } from './entries-of.js';

const statuses = [
  'success',
  'partial_success',
  'retry',
  'fail',
  'skipped',
] as const satisfies readonly StageStatus[];

/** Words that other tools write into a status file (SEMANTICS 44g). */
const statusAliases: ReadonlyMap<unknown, StageStatus> = new Map([
  ['succeeded', 'success'],
  ['failed', 'fail'],
  ['error', 'fail'],
  ['partially_succeeded', 'partial_success'],
]);

const contextUpdates = entriesOf(z.unknown()).transform((updates) => {
  return Object.fromEntries(
    [...updates].map(([key, value]): [string, JsonValue] => [key, toJsonValue(value, () => undefined)]),
  );
});

const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** The fields that an outcome has besides its status (Appendix C), in a handler's result, a status file or a script. */
export const outcomeDetails = {
  preferred_label: optional(z.string()),
  suggested_next_ids: optional(z.array(z.string())),
  context_updates: optional(contextUpdates),
  notes: optional(z.string()),
  failure_reason: optional(z.string()),
  retryable: optional(z.boolean()),
} as const;

/** A status word, lower case (SEMANTICS 84). */
export const statusSchema = z.enum(statuses);

const handlerResult = z.object({ status: statusSchema, ...outcomeDetails }).transform(withoutUnset);

export type ReadOutcome =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Checks what a handler returned: an outcome may come from code that no compiler has seen (§4.12). */
export function readHandlerResult(value: unknown): ReadOutcome {
  return readWith(handlerResult, value);
}

/** Reads a status file (Appendix C, SEMANTICS 61). */
export function readStatusFile(text: string): ReadOutcome {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'invalid', problem: 'it is not JSON' };
  }
  return readWith(handlerResult, typeof value === 'object' && value !== null ? inOwnWords(value) : value);
}

/** A status file may say `outcome` or `status`, and call the label by either name. */
function inOwnWords(written: object): object {
  const fields: Readonly<Record<string, unknown>> = { ...written };
  const word = fields.outcome ?? fields.status;
  return {
    ...fields,
    status: statusAliases.get(word) ?? word,
    preferred_label: fields.preferred_label || fields.preferred_next_label,
  };
}

function readWith(schema: z.ZodType<Outcome>, value: unknown): ReadOutcome {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'outcome', outcome: parsed.data };
  return { kind: 'invalid', problem: describeIssues(parsed.error) };
}

/** What is wrong with a value, as one line: `outcome: expected one of …; notes: expected string`. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`))
    .join('; ');
}

type Unset<Value> = { readonly [Key in keyof Value]: Value[Key] | undefined };

function withoutUnset(value: Unset<Outcome> & { readonly status: StageStatus }): Outcome {
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== undefined),
  ) as unknown as Outcome;
}

/** An outcome as a status file has it (SEMANTICS 61): all keys of Appendix C, the label under both of its names. */
export function statusFileText(outcome: Outcome): string {
  const label = outcome.preferred_label ?? '';
  const content = {
    outcome: outcome.status,
    preferred_label: label,
    preferred_next_label: label,
    suggested_next_ids: outcome.suggested_next_ids ?? [],
    context_updates: outcome.context_updates ?? {},
    notes: outcome.notes ?? '',
    failure_reason: outcome.failure_reason ?? '',
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
