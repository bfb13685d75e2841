import type { Transformer } from 'node:stream/web';
import { Agent, EnvHttpProxyAgent, fetch as undiciFetch } from 'undici';
import { mendUsage, type UsageProblem } from './mend-usage.js';
import { titleOfPage, UnreadableReply, WebPageReply } from './web-page.js';

export type Fetch = typeof globalThis.fetch;

/** Requests to models, over connections that stay open for the next one. */
export interface Connections {
  readonly fetch: Fetch;
  /** Closes them, also those of requests that nobody waits for any more. */
  close(): Promise<void>;
}

/**
 * Sends requests without the time limits of Node, which end every wait for a slow model after five minutes: the clock for
 * silence limits it.
 * @param usesProxy true to use the proxy that the variables name; by default where Node itself would
 */
export function patientConnections(
  variables: Readonly<Record<string, string | undefined>>,
  usesProxy = variables.NODE_USE_ENV_PROXY === '1',
): Connections {
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  const dispatcher = usesProxy
    ? new EnvHttpProxyAgent({ ...limits, ...proxiesIn(variables) })
    : new Agent(limits);
  const fetch = (input: string, init: object) => undiciFetch(input, { ...init, dispatcher });
  // The types of the library and those of Node describe the same classes.
  return { fetch: fetch as unknown as Fetch, close: () => dispatcher.destroy() };
}

function proxiesIn(variables: Readonly<Record<string, string | undefined>>): EnvHttpProxyAgent.Options {
  const value = (name: string) => variables[name.toLowerCase()] ?? variables[name];
  return {
    httpProxy: value('HTTP_PROXY'),
    httpsProxy: value('HTTPS_PROXY'),
    noProxy: value('NO_PROXY'),
  };
}

/** Listeners to the replies of a model's server. */
export interface ReplyWatch {
  /** Called whenever something arrives. */
  onBytes(): void;
  /** Called with counts of tokens that cannot be counted. */
  onUsageProblems(problems: readonly UsageProblem[]): void;
}

/**
 * Watches the replies of a model's server, and mends the usage in them.
 * @returns a function that fails with `WebPageReply` or `UnreadableReply` for what is not a stream of events
 */
export function watchedFetch(fetch: Fetch, { onBytes, onUsageProblems }: ReplyWatch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    onBytes();
    const { body, status, statusText, headers } = response;
    // The library reads refusals.
    if (!response.ok || body === null) return response;
    const watched = body
      .pipeThrough(new TransformStream(eventsOnly(status, onBytes)))
      .pipeThrough(new TransformStream(withMendedUsage(onUsageProblems)));
    return new Response(watched, { status, statusText, headers });
  };
}

/** Characters of a body that is not one of events which are read to say what it is. */
const longestBody = 100_000;

/** Passes a stream of events through, and fails with what anything else is. */
function eventsOnly(status: number, onBytes: () => void): Transformer<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let kind: 'unknown' | 'events' | 'other' = 'unknown';
  let begun = '';
  return {
    transform(chunk, controller) {
      onBytes();
      if (kind !== 'events') {
        begun += decoder.decode(chunk, { stream: true });
        const [first] = begun.trimStart();
        if (first === '<' || first === '{' || first === '[') kind = 'other';
        else if (first !== undefined) kind = 'events';
        if (kind === 'other' && begun.length > longestBody) throw unexpected(begun, status);
      }
      if (kind === 'events') controller.enqueue(chunk);
    },
    flush() {
      if (kind === 'other') throw unexpected(begun, status);
    },
  };
}

/** Passes a stream of events line by line, with usage that can be counted. */
function withMendedUsage(tell: ReplyWatch['onUsageProblems']): Transformer<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const mended = (line: string): string => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    const reading = mendUsage(text);
    if (reading.problems.length === 0) return line;
    tell(reading.problems);
    return reading.line;
  };
  let begun = '';
  return {
    transform(chunk, controller) {
      const lines = decoder.decode(chunk, { stream: true }).split('\n');
      const last = lines.pop() ?? '';
      if (lines.length === 0) {
        begun += last;
        return;
      }
      const [first = '', ...others] = lines;
      const whole = [begun + first, ...others].map((line) => `${mended(line)}\n`).join('');
      begun = last;
      controller.enqueue(encoder.encode(whole));
    },
    flush(controller) {
      const rest = begun + decoder.decode();
      if (rest !== '') controller.enqueue(encoder.encode(mended(rest)));
    },
  };
}

function unexpected(text: string, status: number): unknown {
  const page = titleOfPage(text);
  if (page !== undefined) return new WebPageReply(status, page.title);
  return errorIn(text) ?? new UnreadableReply(`it begins with ${JSON.stringify(text.trim().slice(0, 100))}`);
}

/** An error that a server reports with HTTP 200. */
function errorIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'error' in value ? value : undefined;
  } catch {
    return undefined;
  }
}
