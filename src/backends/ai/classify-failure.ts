import { categoryOf, messageOf } from '../../handlers/error-category.js';
import { fieldOf, textFieldOf } from '../../handlers/error-fields.js';
import { configurationCodes, exhaustedAccounts } from '../../handlers/error-words.js';
import type { FailureCategory } from '../../machine/failure-category.js';
import type { FailureKind, ModelServer, RequestFailure } from './request-failures.js';
import { isTooLong } from './too-long.js';
import { titleOfPage, UnreadableReply, WebPageReply } from './web-page.js';

/** Reason why a request failed, whatever was thrown (Appendix D, SEMANTICS 122). */
export function classifyFailure(error: unknown, server: ModelServer): RequestFailure {
  const status = statusOf(error);
  const said = saidBy(error);
  const page = status === 413 ? undefined : pageIn(error);
  if (page !== undefined) {
    const title = page.title === undefined ? '' : `"${page.title}"`;
    return { kind: 'web_page', server, status, said: title, category: ofStatus(status), cause: error };
  }
  const kind = kindOf(error, status, said);
  return { kind, server, status, said, category: categoryOfKind(kind, error, status), cause: error };
}

function kindOf(error: unknown, status: number | undefined, said: string): FailureKind {
  if (isTooLong(error, status, wordsIn(error), said)) return 'too_long';
  if (isQuota(error, status, said)) return 'quota';
  const codes = codesOf(error);
  if (codes.some((code) => configurationCodes.has(code))) return 'certificate';
  const lost = codes.flatMap((code) => connectionCodes.get(code) ?? [])[0];
  if (lost !== undefined) return lost;
  if (textFieldOf(error, 'name') === 'AI_NoOutputGeneratedError') return 'cut_off';
  if (isGarbled(error, status)) return 'garbled';
  if (status !== undefined) return kindOfStatus(status);
  const word = wordsIn(error).flatMap((one) => wordKinds.get(one) ?? [])[0];
  if (word !== undefined) return word;
  return /^(?:cannot connect to api|fetch failed|terminated|other side closed)/i.test(said)
    ? 'disconnected'
    : 'other';
}

function categoryOfKind(
  kind: FailureKind,
  error: unknown,
  status: number | undefined,
): FailureCategory | undefined {
  switch (kind) {
    case 'too_long':
    case 'quota':
    case 'certificate':
      return 'terminal';
    case 'refused_connection':
    case 'unknown_host':
    case 'disconnected':
    case 'cut_off':
    case 'garbled':
      return 'retryable';
    default: {
      const known = categoryOf(error) ?? (status === undefined ? undefined : ofStatus(status));
      // An answer that began well and reports an unknown error: only the library throws anything else.
      return known ?? (error instanceof Error ? undefined : 'retryable');
    }
  }
}

function kindOfStatus(status: number): FailureKind {
  if (status === 401) return 'key';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limit';
  if (status === 503 || status === 529) return 'overloaded';
  return status >= 500 ? 'server_error' : 'other';
}

/** What is not refused by its status may succeed when it is asked for again. */
function ofStatus(status = 200): FailureCategory {
  const isFinal = status >= 400 && status < 500 && ![408, 409, 429].includes(status);
  return isFinal ? 'terminal' : 'retryable';
}

const connectionCodes: ReadonlyMap<string, FailureKind> = new Map([
  ['ECONNREFUSED', 'refused_connection'],
  ['ENOTFOUND', 'unknown_host'],
  ['EAI_AGAIN', 'unknown_host'],
  ['ECONNRESET', 'disconnected'],
  ['EPIPE', 'disconnected'],
  ['ETIMEDOUT', 'disconnected'],
  ['ENETUNREACH', 'disconnected'],
  ['EHOSTUNREACH', 'disconnected'],
  ['UND_ERR_CONNECT_TIMEOUT', 'disconnected'],
  ['UND_ERR_SOCKET', 'disconnected'],
]);

/** Types and codes of errors that come in the middle of a stream, without a status. */
const wordKinds: ReadonlyMap<string, FailureKind> = new Map([
  ['overloaded_error', 'overloaded'],
  ['overloaded', 'overloaded'],
  ['UNAVAILABLE', 'overloaded'],
  ['service_unavailable', 'overloaded'],
  ['rate_limit_error', 'rate_limit'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['RESOURCE_EXHAUSTED', 'rate_limit'],
  ['api_error', 'server_error'],
  ['server_error', 'server_error'],
  ['internal_server_error', 'server_error'],
  ['INTERNAL', 'server_error'],
  ['authentication_error', 'key'],
  ['UNAUTHENTICATED', 'key'],
  ['permission_error', 'forbidden'],
  ['PERMISSION_DENIED', 'forbidden'],
]);

const deepest = 8;

/** An error, and its causes. */
function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one !== undefined && one !== null && chain.length < deepest; ) {
    chain.push(one);
    one = fieldOf(one, 'cause');
  }
  return chain;
}

/** Codes of the system, of an error and its causes; a host with several addresses has an error for each. */
function codesOf(error: unknown): readonly string[] {
  return chainOf(error).flatMap((one) => {
    const alternatives = fieldOf(one, 'errors');
    const all = [one, ...(Array.isArray(alternatives) ? alternatives : [])];
    return all.flatMap((each) => textFieldOf(each, 'code') ?? []);
  });
}

/** Types, codes and states that a provider gives an error, in its answer or in the middle of a stream. */
function wordsIn(error: unknown): readonly string[] {
  const body = bodyOf(error);
  const places = [error, fieldOf(error, 'error'), fieldOf(error, 'data'), body];
  // OpenAI reports the failure of a response that has begun in the response.
  const whole = places.flatMap((place) => [place, fieldOf(place, 'response')]);
  const inner = whole.flatMap((place) => [place, fieldOf(place, 'error')]);
  return inner.flatMap((place) =>
    ['code', 'type', 'status'].flatMap((name) => textFieldOf(place, name) ?? []),
  );
}

/** Body of an answer, as JSON. */
function bodyOf(error: unknown): unknown {
  const text = textFieldOf(error, 'responseBody');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** HTTP status; some servers answer 200, and put it into the code of an error in the body. */
function statusOf(error: unknown): number | undefined {
  const status = Number(fieldOf(error, 'statusCode') ?? Number.NaN);
  if (!Number.isNaN(status)) return status;
  const inner = fieldOf(error, 'error') ?? fieldOf(fieldOf(error, 'data'), 'error') ?? error;
  const code = fieldOf(inner, 'code');
  return typeof code === 'number' && code >= 400 && code <= 599 ? code : undefined;
}

/** Longest text of a server in a message. */
const longestSaid = 600;

/** What the other side said; some providers send an object or a text in the middle of a stream. */
function saidBy(error: unknown): string {
  const unreadable = chainOf(error).find((one) => one instanceof UnreadableReply);
  const said =
    error instanceof Error
      ? messageOf(unreadable ?? error)
      : (textFieldOf(error, 'message') ??
        textFieldOf(fieldOf(error, 'error'), 'message') ??
        messageOf(error));
  return said.length > longestSaid ? `${said.slice(0, longestSaid)}…` : said;
}

function pageIn(error: unknown): { readonly title: string | undefined } | undefined {
  const page = chainOf(error).find((one) => one instanceof WebPageReply);
  if (page instanceof WebPageReply) return page;
  return titleOfPage(textFieldOf(error, 'responseBody') ?? '');
}

/** Words for an account without money; Gemini says "quota" of every limit, so that its limits have names. */
const noMoney =
  /credit balance is too low|insufficient[ _](?:quota|credits?|balance|funds)|payment required/i;
const dailyLimit = /"quotaId"\s*:\s*"[^"]*PerDay/;

function isQuota(error: unknown, status: number | undefined, said: string): boolean {
  if (status === 402) return true;
  if (status !== undefined && status !== 400 && status !== 403 && status !== 429) return false;
  if (wordsIn(error).some((word) => exhaustedAccounts.has(word))) return true;
  return noMoney.test(said) || dailyLimit.test(textFieldOf(error, 'responseBody') ?? '');
}

/** Names of errors of the library for a reply that is not JSON, or not in the format of the provider. */
const garbledNames: ReadonlySet<string> = new Set([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'UnreadableReply',
]);

/** True for an answer that is not one of a model: most often the fault of a proxy. */
function isGarbled(error: unknown, status: number | undefined): boolean {
  // With the status 200 it looks like a client error.
  return status === 200 || chainOf(error).some((one) => garbledNames.has(textFieldOf(one, 'name') ?? ''));
}
