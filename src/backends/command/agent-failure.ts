import type { FailureCategory } from '../../machine/failure-category.js';
import type { AgentProblem } from './agent-fact.js';

/** Failure of an agent, with the fields by which the engine judges errors (§3.6, Appendix D). */
export class AgentFailure extends Error {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly failure_category?: FailureCategory;

  constructor(message: string, details: FailureFields = {}) {
    super(message);
    this.name = 'AgentFailure';
    Object.assign(this, details);
  }
}

type FailureFields = Partial<Pick<AgentFailure, 'statusCode' | 'headers' | 'failure_category'>>;

/** Failure from an agent's message, of which only an HTTP status has a regular form (Appendix D). */
export function agentFailure(
  title: string,
  { message, status = statusIn(message), retryAfter = waitIn(message) }: AgentProblem,
): AgentFailure {
  const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } };
  if (isCutOff(message)) return cutOffFailure(title, message);
  const fields = status === undefined ? categoryIn(message) : { statusCode: status };
  return new AgentFailure(`${title} failed: ${message}`, { ...fields, ...headers });
}

/** Failure for a reply at the length limit, which is incomplete even if the program succeeded. */
export function cutOffFailure(title: string, message?: string): AgentFailure {
  const because = message === undefined ? '' : `: ${message}`;
  return new AgentFailure(`${title} was cut off: its reply reached a limit of its length${because}`, {
    failure_category: 'retryable',
  });
}

const cutOff = /max(?:imum)?[_ ](?:output[_ ])?tokens|exceeded the \d+ output token maximum/i;

function isCutOff(message: string): boolean {
  return cutOff.test(message);
}

/**
 * HTTP status as the programs write it: "unexpected status 401", "API Error: 529", "Request rejected
 * (429)", `"code":401`, "401 refused".
 */
const statusForms = [
  /\bstatus(?: code)?[:=]? ?"?([45]\d\d)\b/i,
  /\bAPI Error:? ?(?:\D{0,40}\()?([45]\d\d)\b/i,
  /"code":\s?([45]\d\d)\b/,
  /\bHTTP(?:\/[\d.]+)? ?([45]\d\d)\b/i,
  /^\s*\[?([45]\d\d)\b/,
  /\(([45]\d\d)\)/,
];

function statusIn(message: string): number | undefined {
  const found = statusForms.map((form) => form.exec(message)?.[1]).find((one) => one !== undefined);
  return found === undefined ? undefined : Number(found);
}

const waitForms = [
  /\b(?:try again|retry)(?:ing)? (?:in|after) (\d+(?:\.\d+)?) ?(?:s\b|sec)/i,
  /\bretry[-_ ]?(?:after|delay)["':=\s]+(\d+(?:\.\d+)?)/i,
];

/** Seconds to wait, if the message says so. */
function waitIn(message: string): string | undefined {
  return waitForms.map((form) => form.exec(message)?.[1]).find((one) => one !== undefined);
}

const final =
  /invalid (?:api|auth)|api key (?:is )?(?:not|missing|invalid)|not (?:logged|signed) in|please (?:log|sign) in|\/login|unauthori[sz]ed|authentication|permission denied|credit balance|quota exceeded|insufficient_quota|model .{0,80}(?:not exist|not found)/i;

const passing =
  /rate.?limit|too many requests|overloaded|timed? ?out|stream (?:error|disconnected|closed)|connection (?:error|reset|refused|closed)|ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|socket hang up|fetch failed|network error|temporar|high demand|unavailable|internal server error|server error/i;

function categoryIn(message: string): FailureFields {
  if (final.test(message)) return { failure_category: 'terminal' };
  return passing.test(message) ? { failure_category: 'retryable' } : {};
}
