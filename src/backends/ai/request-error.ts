import { describeWait } from '../../machine/describe-wait.js';
import type { FailureCategory } from '../../machine/failure-category.js';
import { type RequestFailure, requestFailures } from './request-failures.js';

/** Failed request to a model. */
export class RequestError extends Error {
  readonly failure: RequestFailure;
  /** What was thrown, with the answer of the server. Not the `cause`, whose message would be repeated after ours. */
  readonly lastError: unknown;
  /** Earlier requests and failures, and what the server asks for. */
  readonly context: FailureContext;
  /** Undefined if the cause decides it (§3.6). */
  readonly failure_category: FailureCategory | undefined;

  /** @param more circumstances of the failure; without them, the request was made once */
  constructor(failure: RequestFailure, more: FailureContext = {}) {
    super(textOf(failure, more));
    this.name = 'RequestError';
    this.failure = failure;
    this.context = more;
    this.lastError = failure.cause;
    this.failure_category = more.category ?? failure.category;
  }
}

/** Circumstances of the last failure of a request. */
export interface FailureContext {
  /** Number of times that the model was asked. */
  readonly requests?: number;
  /** Pause that the server asks for, in milliseconds, if it is too long to wait. */
  readonly asksToWait?: number;
  /** Failures of the models that were asked before, in sentences. */
  readonly before?: readonly string[];
  /** Overrides the category of the failure. */
  readonly category?: FailureCategory;
}

/** The failure in a sentence: the server, what happened, what it said, what to do (Appendix D). */
function textOf(failure: RequestFailure, { requests = 1, asksToWait, before = [] }: FailureContext): string {
  const { server, kind, said, status } = failure;
  const { what, advice } = requestFailures[kind];
  const times = requests > 1 ? ` ${requests} times, the last time` : '';
  // With the status 200 only the reply is wrong.
  const code = status === undefined || status === 200 ? '' : ` with HTTP ${status}`;
  const request = `the request to ${server.model} at ${server.host} failed${times}${code}`;
  const reason = [what?.(failure), said].filter((text) => text !== undefined && text !== '').join(': ');
  const wait = asksToWait === undefined ? '' : `; the server asks to wait ${describeWait(asksToWait)}`;
  const next = advice?.(failure);
  const earlier = before.map((text) => `; before that, ${text}`).join('');
  return `${request}${reason === '' ? '' : `: ${reason}`}${wait}${next === undefined ? '' : `; ${next}`}${earlier}`;
}
