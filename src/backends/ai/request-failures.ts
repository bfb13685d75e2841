import { describeWait } from '../../machine/describe-wait.js';
import type { FailureCategory } from '../../machine/failure-category.js';

/** Server of a model, for messages. */
export interface ModelServer {
  /** `anthropic/claude-sonnet-4-5`. */
  readonly model: string;
  /** Host and port. */
  readonly host: string;
  /** Address without what may be secret in it. */
  readonly baseUrl: string;
  /** Setting with the address: `providers.anthropic.base_url`. */
  readonly setting: string;
  /** Setting that would name the variable with a key, if none is sent: `providers.llama.api_key_env`. */
  readonly missingKey?: string | undefined;
  /** True if a coding agent asks it, for which there is no `llm_fallback`. */
  readonly isAskedByAgent?: true;
}

/** Reason why a request failed, before it is put in words. */
export interface RequestFailure {
  readonly kind: FailureKind;
  readonly server: ModelServer;
  readonly status: number | undefined;
  /** What the server, or the system, said about it. */
  readonly said: string;
  /** Undefined if it does not show. */
  readonly category: FailureCategory | undefined;
  /** Milliseconds of silence. */
  readonly silence?: number;
  /** What a request that is too long consists of: a conversation with a summary, a prompt alone, a request for a summary. */
  readonly tooLong?: 'prompt_alone' | 'with_summary' | 'for_summary';
  readonly cause?: unknown;
}

interface FailureWords {
  /** A few words for a pause: "waiting 20s after HTTP 429". By default the status. */
  readonly after?: (failure: RequestFailure) => string;
  /** What happened, in front of what the server said. */
  readonly what?: (failure: RequestFailure) => string;
  /** What to do. */
  readonly advice?: (failure: RequestFailure) => string;
}

const later = ({ server }: RequestFailure): string =>
  `run \`attractor resume\` later${server.isAskedByAgent ? '' : ', or name another model in `llm_fallback`'}`;

const addressRight = ({ server }: RequestFailure): string =>
  `is \`${server.setting}\` (${server.baseUrl}) right, or does a proxy answer in its place?`;

/** What there is to say about each kind of failure. */
export const requestFailures: Readonly<Record<FailureKind, FailureWords>> = {
  web_page: {
    after: () => 'a web page instead of a reply',
    what: () => 'the server sent a web page',
    advice: addressRight,
  },
  garbled: {
    after: () => 'an unreadable reply',
    what: () => 'the server sent something that is not a reply of a model',
    advice: addressRight,
  },
  cut_off: {
    after: () => 'a reply that broke off',
    what: () => 'the reply broke off before its end',
    advice: (failure) =>
      `if it happens again, look at the server and any proxy before it, or ${later(failure)}`,
  },
  silent: {
    after: ({ silence = 0 }) => `${describeWait(silence)} of silence`,
    what: ({ silence = 0 }) => `the server sent nothing for ${describeWait(silence)}`,
    advice: () => 'if it needs more time, raise `ai.idle_timeout` in the configuration',
  },
  refused_connection: {
    after: () => 'a refused connection',
    what: () => 'nothing listens there',
    advice: ({ server }) => `is the server running, and \`${server.setting}\` (${server.baseUrl}) right?`,
  },
  unknown_host: {
    after: () => 'a host that was not found',
    what: () => 'the host was not found',
    advice: ({ server }) => `is this machine online, and \`${server.setting}\` (${server.baseUrl}) right?`,
  },
  certificate: {
    what: () => 'the certificate of the server is not trusted',
    advice: () => 'if a proxy of your own signs it, name its certificate in NODE_EXTRA_CA_CERTS',
  },
  disconnected: {
    after: () => 'a broken connection',
    what: () => 'the connection broke',
    advice: (failure) => `look at the network, or ${later(failure)}`,
  },
  too_long: {
    what: ({ server, tooLong }) => {
      switch (tooLong) {
        case 'with_summary':
          return `the conversation is too long for ${server.model}, although a summary has replaced its older turns`;
        case 'prompt_alone':
          return `the prompt alone is too long for ${server.model}`;
        case 'for_summary':
          return `the conversation is too long for ${server.model}, and so was each request to summarize it`;
        default:
          return `the conversation is too long for ${server.model}`;
      }
    },
    advice: ({ tooLong }) =>
      tooLong === 'prompt_alone'
        ? 'shorten it (fewer or shorter values in `${…}`, less history such as fidelity="compact"), or use a model with a larger context window'
        : 'divide the work among several stages, give this one less history (its own `thread_id`, or another `fidelity` than "full"), or use a model with a larger context window',
  },
  key: {
    advice: ({ server: { missingKey } }) =>
      missingKey === undefined
        ? 'check the API key'
        : `no API key was sent: name the variable that holds it in \`${missingKey}\` of the configuration`,
  },
  forbidden: { advice: () => 'check the API key, and whether it may use this model' },
  not_found: {
    advice: ({ server }) => `check the name of the model, and \`${server.setting}\` (${server.baseUrl})`,
  },
  quota: {
    what: () => 'the account has used up its quota',
    advice: () => 'add credit or raise the limit with the provider, or use another model',
  },
  rate_limit: {
    advice: (failure) =>
      `fewer stages at a time (\`max_parallel\`) need fewer requests; otherwise ${later(failure)}`,
  },
  overloaded: { after: ({ status }) => httpStatus(status) ?? 'an overloaded server', advice: later },
  server_error: {
    after: ({ status }) => httpStatus(status) ?? 'an error of the server',
    advice: later,
  },
  /** The request itself, or anything unknown. */
  other: { after: ({ status }) => httpStatus(status) ?? 'an error' },
};

export type FailureKind =
  | 'web_page'
  | 'garbled'
  | 'cut_off'
  | 'silent'
  | 'refused_connection'
  | 'unknown_host'
  | 'certificate'
  | 'disconnected'
  | 'too_long'
  | 'key'
  | 'forbidden'
  | 'not_found'
  | 'quota'
  | 'rate_limit'
  | 'overloaded'
  | 'server_error'
  | 'other';

/** Reason for another request, after "waiting 20s after". */
export function shortReason(failure: RequestFailure): string {
  return requestFailures[failure.kind].after?.(failure) ?? httpStatus(failure.status) ?? failure.said;
}

function httpStatus(status: number | undefined): string | undefined {
  return status === undefined ? undefined : `HTTP ${status}`;
}
