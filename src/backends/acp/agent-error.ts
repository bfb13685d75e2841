import { countIn, recordIn, textIn } from './fields.js';

/** What is known of a failure besides its message. */
export interface AgentErrorDetails {
  readonly retryable?: boolean;
  readonly statusCode?: number;
  /** Of a request that the agent refused: the code of JSON-RPC. */
  readonly code?: number;
  /** Set where the agent is gone. */
  readonly hasEnded?: boolean;
}

/** What went wrong with an agent; `retryable` and `statusCode` are what the default predicate reads (§3.6). */
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

/** That somebody has to sign in first. */
export const authRequired = -32000;
const internalError = -32603;

/**
 * The failure that an agent answered a request with. Agents wrap what their provider said, mostly as an internal error with the
 * HTTP status somewhere in the text: another attempt may help where that status says so, or where the fault is the agent's own.
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

/**
 * What an agent says next to an answer that looks like a good one: that its turn has failed, in the extension by which one of them
 * tells of it.
 */
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
  /** What it adds. */
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

/** As agents write it: `API Error: 401 …`, `HTTP 500`, `status code 429`, `unexpected status 503`. */
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
