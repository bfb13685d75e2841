import { onTestFinished } from 'vitest';
import type { AcceptedRun, RunDetail } from '../../src/server/api/run.js';
import { createApp } from '../../src/server/app.js';
import { openServerParts } from '../../src/server/open-server-parts.js';
import { securityHeaders } from '../../src/server/security/security-headers.js';
import type { ServerParts } from '../../src/server/server-parts.js';
import { silentLog } from '../../src/telemetry/log.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { serverOptions, type TestOptions } from './runs/harness.js';

/** A server of a test without a socket, and without what keeps strangers out: that has tests of its own. */
export interface AskedServer {
  readonly parts: ServerParts;
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** POST of JSON. */
  post(path: string, body?: unknown): Promise<Response>;
  /** POST of DOT as it is. */
  postDot(path: string, dot: string): Promise<Response>;
  /** @returns the id of a run of this pipeline, whose model is simulated, as the server is configured */
  run(dot: string, submission?: object): Promise<string>;
  /** Waits until a run has one of these statuses. */
  until(id: string, ...statuses: readonly RunDetail['status'][]): Promise<RunDetail>;
  /** Waits until a run asks something. */
  untilAsked(id: string): Promise<void>;
}

export async function askedServer(options: TestOptions = {}, log = silentLog): Promise<AskedServer> {
  const { parts, close } = await openServerParts(serverOptions(temporaryDirectory(), options), log);
  onTestFinished(close);
  const app = createApp(parts, [securityHeaders]);
  const ask = async (path: string, init?: RequestInit): Promise<Response> => app.request(path, init);
  const post = (path: string, body?: unknown): Promise<Response> => {
    if (body === undefined) return ask(path, { method: 'POST' });
    const headers = { 'content-type': 'application/json' };
    return ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  return {
    parts,
    ask,
    post,
    postDot: (path, dot) =>
      ask(path, { method: 'POST', headers: { 'content-type': 'text/vnd.graphviz' }, body: dot }),
    async run(dot, submission = {}) {
      const answer = await post('/pipelines', { dot, ...submission });
      if (!answer.ok) throw new Error(await answer.text());
      return ((await answer.json()) as AcceptedRun).id;
    },
    until: (id, ...statuses) =>
      eventually(() => {
        const detail = parts.registry.detail(id);
        return statuses.includes(detail.status) ? detail : undefined;
      }),
    untilAsked: (id) =>
      eventually(() => (parts.registry.questions(id).length > 0 ? true : undefined)).then(() => undefined),
  };
}

/** Waits for a condition; a test that waits in vain ends by its time limit. */
export async function eventually<Value>(
  look: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** start → work → done. */
/** A pipeline with a property that holds, one that a run breaks, and one that is not decided. */
export const checkedPipeline = `digraph checked {
  graph ["check.worked"="publish only after work", "check.once"="at most 1 work", "check.never"="never other"]
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [prompt="Work", max_visits=3]
  publish [prompt="Publish"]
  other [prompt="Other"]
  start -> work
  work -> work [condition="outcome=fail"]
  work -> other [condition="stages.work.retries=7"]
  work -> publish
  publish -> done
  other -> done
}`;

export const shortPipeline = `digraph short {
  graph [goal="Try it"]
  start [shape=Mdiamond]; done [shape=Msquare]
  work [prompt="Do $goal"]
  start -> work -> done
}`;

/** It asks somebody, and continues by the answer. */
export const askingPipeline = `digraph asking {
  start [shape=Mdiamond]; done [shape=Msquare]
  work [prompt="Work"]
  gate [shape=hexagon, label="Go on?"]
  start -> work -> gate
  gate -> done [label="[Y] Yes"]
  gate -> work [label="[A] Again"]
}`;
