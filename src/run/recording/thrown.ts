import { categoryOf, messageOf } from '../../handlers/error-category.js';
import { fieldOf, textFieldOf } from '../../handlers/error-fields.js';
import { StageCrash, StageSuspension } from '../../handlers/handler.js';
import { retryAfterMs } from '../../handlers/retry-after.js';
import type { RecordedThrow } from './exchange.js';

/** Record of a thrown error, with everything that decides about the stage (§3.6). */
export function recordThrown(error: unknown): RecordedThrow {
  if (error instanceof StageSuspension) return { kind: 'suspended', reason: error.message };
  if (error instanceof StageCrash) return { kind: 'crash', outcome: error.outcome };
  const category = safely(() => categoryOf(error));
  const wait = safely(() => retryAfterMs(error));
  const status = Number(fieldOf(error, 'statusCode') ?? fieldOf(error, 'status') ?? Number.NaN);
  const name = safely(() => textFieldOf(error, 'name'));
  const code = safely(() => textFieldOf(error, 'code'));
  return {
    kind: 'error',
    message: messageOf(error),
    name,
    category,
    retry_after_ms: wait,
    status: Number.isFinite(status) ? status : undefined,
    code,
  };
}

/** Result of an access to an object that may throw; undefined then. */
function safely<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Error that leads to the same failure, also for a predicate of the run's own (`shouldRetry`). */
export function thrownAgain(recorded: Exclude<RecordedThrow, { readonly kind: 'stopped' }>): Error {
  switch (recorded.kind) {
    case 'suspended':
      return new StageSuspension(recorded.reason);
    case 'crash': {
      const { failure_reason = '', ...details } = recorded.outcome;
      return new StageCrash(failure_reason, details);
    }
    case 'error':
      return Object.assign(new Error(recorded.message), fieldsOf(recorded));
  }
}

/** Recorded fields only: a predicate may ask whether an error has a field at all. */
function fieldsOf(recorded: Extract<RecordedThrow, { kind: 'error' }>): object {
  const { name, category, retry_after_ms: wait, status, code } = recorded;
  const fields = {
    name,
    failure_category: category,
    headers: wait === undefined ? undefined : { 'retry-after-ms': String(wait) },
    status,
    statusCode: status,
    code,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
