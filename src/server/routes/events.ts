import type { Context } from 'hono';
import { z } from 'zod';
import { perObject } from '../../graph/per-object.js';
import type { RunEvent } from '../../machine/event.js';
import type { Log } from '../../telemetry/log.js';
import { eventStream, messageFrame, type StreamedEvents } from '../event-stream.js';
import { problemText } from '../http/problem-answer.js';
import { defineRoute, type Route } from '../http/route.js';
import { ProblemError, problemStatus } from '../problem-error.js';
import { type FollowedRun, followRuns, messageOfEnd, type RunMessage } from '../runs/follow-runs.js';
import { isStillAllowed } from '../security/require-token.js';

/** Maximum of runs that one stream follows: more would not fit into an address. */
const mostRuns = 100;

/** Routes for the events of runs, live (§9.5, SEMANTICS 73). */
export const eventRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/events',
    operation: 'streamEvents',
    tag: 'runs',
    summary: 'Streams the events of a run, from its beginning',
    description:
      'Server-sent events: `id` is the number of the event (`seq`), `event` its type, and `data` the event as it is in the journal (docs/events.md). The message `end` comes when the run has ended; comments in between keep the connection.',
    query: z.object({ from: z.string().optional() }),
    headers: {
      'Last-Event-ID': 'The number of the last event that the client has: the stream continues after it.',
    },
    answers: { 200: { description: 'The stream.', content: { 'text/event-stream': null } } },
    problems: ['bad_request', 'not_found'],
    handle({ context, param, query }, { registry, streams, log }) {
      const id = param('id');
      const from = firstEvent(context.req.header('last-event-id'), query.from);
      // A client without access to the run must get an answer, not a stream that breaks off.
      registry.directory(id);
      return streamAnswer(context, () => {
        const stream = streams.open();
        return {
          items: registry.events(id, { from, signal: stream.signal }),
          frameOf: eventFrame,
          stream,
          ending: () => ({ id, ...messageOfEnd(registry, id) }),
          problemOf: (error) => problemText(error, log),
        };
      });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/events',
    operation: 'streamRuns',
    tag: 'runs',
    summary: 'Streams the events of several runs over one connection',
    description:
      'Server-sent events: `event` is the type of an event, and `data` is `{ run, event }` with the event as it is in the journal (docs/events.md). The message `end` (`{ run, status, seq }`) says that a run has ended, `problem` (`{ run, http_status, error }`) that its stream has failed; the others continue. The stream ends with the last run. A client that lost the connection names each run again with the last event that it has (`ID@SEQ`).',
    query: z.object({ runs: z.array(z.string().min(1)).min(1).max(mostRuns) }),
    answers: { 200: { description: 'The stream.', content: { 'text/event-stream': null } } },
    problems: ['bad_request'],
    handle({ context, query }, { registry, streams, log }) {
      const followed = followedRuns(query.runs);
      return streamAnswer(context, () => {
        const stream = streams.open();
        return {
          items: followRuns(registry, followed, stream.signal),
          frameOf: (message) => runFrame(message, log),
          stream,
          ending: () => undefined,
          problemOf: (error) => problemText(error, log),
        };
      });
    },
  }),
];

function streamAnswer<Item>(context: Context, open: () => Omit<StreamedEvents<Item>, 'isAllowed'>): Response {
  const headers = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  if (context.req.method === 'HEAD')
    return context.body(null, 200, { 'content-type': 'text/event-stream', ...headers });
  const answer = eventStream(context, { ...open(), isAllowed: () => isStillAllowed(context) });
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}

/** JSON of an event, made once for all clients: a run hands the same object to each. */
const eventText = perObject((event: RunEvent) => JSON.stringify(event));

/** `id` is the number of the event, so that a client that lost the connection gets each exactly once. */
const eventFrame = perObject(
  (event: RunEvent) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${eventText(event)}\n\n`,
);

function runFrame(message: RunMessage, log: Log): string {
  const { run } = message;
  switch (message.kind) {
    case 'event':
      return `event: ${message.event.type}\ndata: {"run":${JSON.stringify(run)},"event":${eventText(message.event)}}\n\n`;
    case 'end':
      return messageFrame('end', { run, status: message.status, seq: message.seq });
    case 'problem': {
      const { error } = problemText(message.error, log);
      return messageFrame('problem', { run, http_status: problemStatus[error.code], error });
    }
  }
}

/** Runs of a query, each once. */
function followedRuns(named: readonly string[]): readonly FollowedRun[] {
  const followed = named.map((text) => {
    const [, run = text, after = '0'] = /^(.+)@(\d{1,15})$/s.exec(text) ?? [];
    return { run, after: Number(after) };
  });
  const twice = followed.find(({ run }, index) => followed.findIndex((one) => one.run === run) !== index);
  if (twice === undefined) return followed;
  throw new ProblemError('bad_request', `runs names "${twice.run}" more than once`);
}

/** After what a client has; it knows better than the address, which stays the same when a browser connects again. */
function firstEvent(last: string | undefined, from: string | undefined): number {
  if (last !== undefined && last !== '') return eventNumber(last, 'Last-Event-ID') + 1;
  return from === undefined ? 1 : Math.max(1, eventNumber(from, 'from'));
}

function eventNumber(text: string, what: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ProblemError('bad_request', `${what} must be the number of an event, found "${text}"`);
}
