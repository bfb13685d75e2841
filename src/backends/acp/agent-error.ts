import { countIn, recordIn, textIn } from './fields.js';

/** Details of a failure besides its message. */
export interface AgentErrorDetails {
  readonly retryable?: boolean;
  readonly statusCode?: number;
  /** JSON-RPC code of a request that the agent refused. */
  readonly code?: number;
  /** True if the agent is gone. */
  readonly hasEnded?: boolean;
}

/** Failure of an agent; `retryable` and `statusCode` are read by the default predicate (§3.6). */
export class AgentError extends Error {
  readonly retryable: boolean | undefined;
  readonly statusCode: number | undefined;
  readonly rpcCode: number | undefined;
  readonly hasEnded: boolean;

  constructor(message: string, { retryable, statusCode, code, hasEnded = false }: AgentErrorDetails = {}) {
    super(message);
    this.name = 'AgentError';
    this.retryable = retryable;
    this.statusCode = statusCode;
    this.rpcCode = code;
    this.hasEnded = hasEnded;
  }
}

/** Code for a missing sign-in. */
export const authRequired = -32000;
const internalError = -32603;

/**
 * Failure with which an agent answered a request. Agents wrap the answer of their provider, mostly as an
 * internal error with the HTTP status somewhere in the text: it is retryable if the status is, or if the
 * fault is the agent's own.
 */
export function agentRefusal(error: unknown, title: string, signIn: string): AgentError {
  const { code, message, said } = partsOf(error);
  const status = statusIn(error, said);
  const text = `${title}: ${said === '' || message.includes(said) ? message : `${message}: ${said}`}`;
  if (status !== undefined) {
    return new AgentError(status === 401 ? `${text} (${signIn})` : text, { statusCode: status, code });
  }
  if (code === authRequired) return new AgentError(`${text} (${signIn})`, { retryable: false, code });
  return new AgentError(text, { retryable: code === internalError, code });
}

/** Failure within an answer that looks successful: one agent reports a failed turn in an extension. */
export function failureInAnswer(response: unknown, title: string, signIn: string): AgentError | undefined {
  const air = recordIn(recordIn(recordIn(response, '_meta'), 'jetbrains'), 'air');
  const said = recordIn(air, 'sessionFailure');
  if (said.severity !== 'error') return undefined;
  const what = textIn(said, 'title') ?? 'its turn has failed';
  const text = `${title}: ${what}`;
  const status = statusIn(undefined, what);
  if (status !== undefined) return new AgentError(text, { statusCode: status });
  if (said.category === 'access') return new AgentError(`${text} (${signIn})`, { retryable: false });
  const { actions } = said;
  return new AgentError(text, { retryable: Array.isArray(actions) && actions.includes('retry') });
}

interface Parts {
  readonly code: number | undefined;
  readonly message: string;
  /** Text that it adds. */
  readonly said: string;
}

function partsOf(error: unknown): Parts {
  if (!(error instanceof Error)) return { code: undefined, message: String(error), said: '' };
  const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
  const details =
    textIn(data, 'details') ?? textIn(data, 'message') ?? textIn(recordIn(data, 'error'), 'message');
  const said = details ?? (typeof data === 'string' ? data : data === undefined ? '' : JSON.stringify(data));
  return { code: typeof code === 'number' ? code : undefined, message: error.message, said };
}

/**
 * HTTP status as agents write it: `API Error: 401 …`, `HTTP 500`, `status code 429`, `unexpected status
 * 503`.
 */
const statusWords =
  /\b(?:api error|error|https?|status(?: code)?|failed with|code)\b["':\s(]{1,4}([45]\d\d)\b/i;

function statusIn(error: unknown, said: string): number | undefined {
  const { data, code } = (error ?? {}) as { readonly data?: unknown; readonly code?: unknown };
  const fields = [data, recordIn(data, 'error')];
  const told = fields
    .flatMap((place) => [countIn(place, 'status'), countIn(place, 'statusCode'), countIn(place, 'code')])
    .concat(typeof code === 'number' ? code : undefined)
    .find((value) => value !== undefined && value >= 400 && value <= 599);
  if (told !== undefined) return told;
  const message = error instanceof Error ? error.message : '';
  const found = statusWords.exec(`${message} ${said}`)?.[1];
  return found === undefined ? undefined : Number(found);
}
