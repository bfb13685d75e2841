import { type FailureCategory, failureCategories } from '../machine/failure-category.js';
import { type FailureDetails, failure, type Outcome } from '../machine/outcome.js';
import { fieldOf, headerOf, textFieldOf } from './error-fields.js';
import {
  configurationCodes,
  exhaustedAccounts,
  finalClasses,
  finalWords,
  transientClasses,
  transientCodes,
  transientWords,
} from './error-words.js';
import { retryAfterMs } from './retry-after.js';

/**
 * Decides if an error is retryable, before the default predicate (§3.6); undefined leaves it to the
 * default.
 */
export type ShouldRetry = (error: unknown) => boolean | undefined;

/**
 * Category of an error from a handler or a backend (Appendix D), by the default predicate of §3.6: network
 * errors, HTTP 408, 429 and 5xx and conditions that providers report as passing are retryable;
 * authentication, other 4xx, validation and configuration are terminal. Undefined if the error does not
 * show it, which counts as not retryable (SEMANTICS 26).
 */
export function categoryOf(error: unknown): FailureCategory | undefined {
  try {
    return judge(error, new Set());
  } catch {
    return undefined; // An object whose fields cannot even be read.
  }
}

/** True if another attempt may help against an error; undefined if the error does not show it. */
export function isRetryable(error: unknown): boolean | undefined {
  const category = categoryOf(error);
  return category === undefined ? undefined : category === 'retryable';
}

/**
 * Failure for an error (§4.12, SEMANTICS 26).
 * @param shouldRetry the run's own predicate, asked first
 */
export function failureOfError(error: unknown, shouldRetry?: ShouldRetry): Outcome {
  const decided = shouldRetry?.(error);
  const category = typeof decided === 'boolean' ? (decided ? 'retryable' : 'terminal') : categoryOf(error);
  if (category === undefined) return failure(messageOf(error));
  const wait = category === 'retryable' ? retryAfterMs(error) : undefined;
  return failure(messageOf(error), {
    retryable: category === 'retryable',
    failure_category: category,
    retry_after_ms: wait,
  } satisfies FailureDetails);
}

/** Judges by the most explicit sign first, by mere hints last. */
function judge(error: unknown, seen: Set<unknown>): FailureCategory | undefined {
  if (typeof error !== 'object' || error === null || seen.has(error)) return undefined;
  seen.add(error);
  return (
    declared(error) ??
    byHttpStatus(error) ??
    byWord(error) ??
    byClass(error) ??
    judge(fieldOf(error, 'cause'), seen) ??
    judge(fieldOf(error, 'lastError'), seen) ??
    byAlternatives(error, seen)
  );
}

/** Category that the error, its client or its provider declares. */
function declared(error: object): FailureCategory | undefined {
  const category = failureCategories.find((one) => one === fieldOf(error, 'failure_category'));
  if (category !== undefined) return category;
  const own = fieldOf(error, 'retryable');
  if (typeof own === 'boolean') return asCategory(own);
  if (wordsOf(error).some((word) => exhaustedAccounts.has(word))) return 'terminal';
  const ofClient = fieldOf(error, 'isRetryable');
  if (typeof ofClient === 'boolean') return asCategory(ofClient);
  const ofProvider = headerOf(error, 'x-should-retry');
  if (ofProvider === 'true' || ofProvider === 'false') return asCategory(ofProvider === 'true');
  return typeof fieldOf(error, '$retryable') === 'object' ? 'retryable' : undefined;
}

function asCategory(retryable: boolean): FailureCategory {
  return retryable ? 'retryable' : 'terminal';
}

function byHttpStatus(error: object): FailureCategory | undefined {
  const status = httpStatus(error);
  if (status === 408 || status === 429 || (status >= 500 && status <= 599)) return 'retryable';
  return status >= 400 && status <= 499 ? 'terminal' : undefined;
}

/** HTTP status, from the fields that common clients use; NaN without one. */
function httpStatus(error: object): number {
  const response = fieldOf(error, 'response');
  const candidates = [
    fieldOf(error, 'status'),
    fieldOf(error, 'statusCode'),
    fieldOf(response, 'status'),
    fieldOf(response, 'statusCode'),
    fieldOf(fieldOf(error, '$metadata'), 'httpStatusCode'),
  ];
  // Some answers have a name such as "UNAVAILABLE" in this field; `byWord` reads it.
  return (
    candidates.map((value) => Number(value ?? Number.NaN)).find((value) => !Number.isNaN(value)) ?? Number.NaN
  );
}

function byWord(error: object): FailureCategory | undefined {
  const words = wordsOf(error);
  if (words.some((word) => finalWords.has(word) || configurationCodes.has(word))) return 'terminal';
  if (words.some((word) => transientWords.has(word) || transientCodes.has(word))) return 'retryable';
  // A program that cannot be started does not exist, or may not be run.
  const isSpawn = textFieldOf(error, 'syscall')?.startsWith('spawn') ?? false;
  return isSpawn && words.some((word) => word === 'ENOENT' || word === 'EACCES') ? 'terminal' : undefined;
}

/**
 * Codes and types of an error and of the answer in it: OpenAI, Anthropic, Google, and the clients around
 * them.
 */
function wordsOf(error: object): readonly string[] {
  const body = fieldOf(error, 'error');
  const data = fieldOf(error, 'data') ?? fieldOf(fieldOf(error, 'response'), 'data');
  const places = [error, body, fieldOf(body, 'error'), data, fieldOf(data, 'error')];
  return places.flatMap((place) =>
    ['code', 'type', 'status'].flatMap((name) => textFieldOf(place, name) ?? []),
  );
}

/** Category by the name and the classes of the error: not every client sets the name. */
function byClass(error: object): FailureCategory | undefined {
  const names = classNames(error);
  // Thrown for a pipeline that lint refuses (§7.3).
  if (names.includes('ValidationError') && Array.isArray(fieldOf(error, 'diagnostics'))) return 'pipeline';
  if (names.some((name) => finalClasses.has(name))) return 'terminal';
  return names.some((name) => transientClasses.has(name)) ? 'retryable' : undefined;
}

function classNames(error: object): readonly string[] {
  const names = [textFieldOf(error, 'name') ?? ''];
  for (let made = Object.getPrototypeOf(error); made !== null; made = Object.getPrototypeOf(made)) {
    const name = textFieldOf(made.constructor, 'name');
    if (name !== undefined) names.push(name);
  }
  return names;
}

/** Category of several alternatives: one that may succeed is enough. */
function byAlternatives(error: object, seen: Set<unknown>): FailureCategory | undefined {
  const errors = fieldOf(error, 'errors');
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const categories = errors.map((one) => judge(one, seen));
  if (categories.includes('retryable')) return 'retryable';
  return categories.every((category) => category === 'terminal') ? 'terminal' : undefined;
}

const causesNamed = 3;

/** Message of anything thrown, followed by those of its causes unless it contains them. */
export function messageOf(error: unknown): string {
  try {
    return describe(error, causesNamed);
  } catch {
    return 'an error that cannot be described was thrown';
  }
}

function describe(error: unknown, depth: number): string {
  const message = textFieldOf(error, 'message')?.trim() ?? '';
  const causes = [fieldOf(error, 'cause'), ...alternativesOf(error)].filter(
    (cause) => cause instanceof Error,
  );
  const because = depth === 0 ? [] : causes.map((cause) => describe(cause, depth - 1));
  const news = because.filter((text, index) => !message.includes(text) && because.indexOf(text) === index);
  const sentence = [message, news.join('; ')].filter((text) => text !== '').join(': ');
  return sentence === '' ? nameOf(error).trim() : sentence;
}

function alternativesOf(error: unknown): readonly unknown[] {
  const errors = fieldOf(error, 'errors');
  return Array.isArray(errors) ? errors.slice(0, causesNamed) : [];
}

/** Name for an error without a message, and for anything that is not an error. */
function nameOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || error instanceof Error) return String(error);
  return JSON.stringify(error) ?? String(error);
}
