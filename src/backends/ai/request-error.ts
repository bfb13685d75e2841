import { categoryOf, messageOf } from '../../handlers/error-category.js';
import { fieldOf, textFieldOf } from '../../handlers/error-fields.js';
import type { FailureCategory } from '../../machine/failure-category.js';

/** Failed request to a model; its cause has the provider's message and the time to wait. */
export class RequestError extends Error {
  /** Undefined if the cause decides it. */
  readonly failure_category: FailureCategory | undefined;

  constructor(message: string, category?: FailureCategory, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RequestError';
    this.failure_category = category;
  }
}

/** Error of a request, with advice (Appendix D). */
export function requestError(error: unknown, model: string): RequestError {
  const said = textOf(error);
  if (isTooLong(error, said)) {
    return new RequestError(
      `the conversation exceeds the context window of ${model}. Start the stage with less history (fidelity="compact" or "summary:high" instead of "full", or its own thread_id), or use a model with a larger window. ${model} said: ${said}`,
      'terminal',
      error,
    );
  }
  const status = Number(fieldOf(error, 'statusCode') ?? Number.NaN);
  const code = Number.isNaN(status) ? '' : ` with HTTP ${status}`;
  const advice = status === 401 || status === 403 ? '; check the API key' : '';
  const message = `the request to ${model} failed${code}: ${said}${advice}`;
  return new RequestError(message, isGarbled(error) ? 'retryable' : categoryOf(error), error);
}

/** Error for a reply that ended unfinished: a connection was closed, or a server gave up. */
export function unfinishedReply(model: string, reason: string | undefined): RequestError {
  const why = reason === undefined || reason === 'other' ? '' : ` (${reason})`;
  return new RequestError(`the reply of ${model} was cut off${why}`, 'retryable');
}

/** Text of an error; some providers send an object or a text in the middle of a stream. */
function textOf(error: unknown): string {
  if (error instanceof Error) return messageOf(error);
  const message = textFieldOf(error, 'message') ?? textFieldOf(fieldOf(error, 'error'), 'message');
  return message ?? messageOf(error);
}

const tooLong =
  /prompt is too long|context[ _-]?(?:length|window|size)|maximum context|input token count|too many (?:input )?tokens|exceeds? the (?:maximum|max) (?:number of )?tokens|input is too long/i;

function isTooLong(error: unknown, said: string): boolean {
  const status = fieldOf(error, 'statusCode');
  if (status !== undefined && status !== 400 && status !== 413 && status !== 422) return false;
  return tooLong.test(said) || tooLong.test(textFieldOf(error, 'responseBody') ?? '');
}

/** True for an answer that is not JSON, or not in the provider's format: most often the fault of a proxy. */
function isGarbled(error: unknown): boolean {
  const name = textFieldOf(error, 'name') ?? '';
  if (
    [
      'AI_JSONParseError',
      'AI_TypeValidationError',
      'AI_EmptyResponseBodyError',
      'AI_InvalidResponseDataError',
      'AI_NoOutputGeneratedError',
    ].includes(name)
  ) {
    return true;
  }
  // It looks like a client error, because the status is 200.
  return fieldOf(error, 'statusCode') === 200;
}
