import { categoryOf, messageOf } from '../../handlers/error-category.js';
import { fieldOf, textFieldOf } from '../../handlers/error-fields.js';
import { StageCrash, StageSuspension } from '../../handlers/handler.js';
import { retryAfterMs } from '../../handlers/retry-after.js';
import type { RecordedThrow } from './exchange.js';

/** What was thrown, as far as it decides what becomes of the stage (§3.6). */
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
    ...(name !== undefined && { name }),
    ...(category !== undefined && { category }),
    ...(wait !== undefined && { retry_after_ms: wait }),
    ...(Number.isFinite(status) && { status }),
    ...(code !== undefined && { code }),
  };
}

/** An object that cannot even be looked at. */
function safely<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** An error that amounts to the same failure, also for a predicate of the run's own (`shouldRetry`). */
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

function fieldsOf({
  name,
  category,
  retry_after_ms,
  status,
  code,
}: Extract<RecordedThrow, { kind: 'error' }>) {
  return {
    ...(name !== undefined && { name }),
    ...(category !== undefined && { failure_category: category }),
    ...(retry_after_ms !== undefined && { headers: { 'retry-after-ms': String(retry_after_ms) } }),
    ...(status !== undefined && { status, statusCode: status }),
    ...(code !== undefined && { code }),
  };
}
