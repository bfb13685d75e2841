import { z } from 'zod';
import { eventStream } from '../event-stream.js';
import { problemText } from '../http/problem-answer.js';
import { defineRoute, type Route } from '../http/route.js';
import { ProblemError } from '../problem-error.js';

/** What happens in a run, as it happens (§9.5, SEMANTICS 73). */
export const eventRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/events',
    operation: 'streamEvents',
    tag: 'runs',
    summary: 'Tells what happens in a run, from its beginning on, as it happens',
    description:
      'Server-sent events: `id` is the number of the event (`seq`), `event` its type, and `data` the event as it is in the journal (docs/events.md). The message `end` comes when the run has ended; comments in between keep the connection.',
    query: z.object({ from: z.string().optional() }),
    headers: {
      'Last-Event-ID': 'The number of the last event that the client has: the stream goes on behind it.',
    },
    answers: { 200: { description: 'The stream.', content: { 'text/event-stream': null } } },
    problems: ['bad_request', 'not_found'],
    handle({ context, param, query }, { registry, streams, log }) {
      const id = param('id');
      const from = firstEvent(context.req.header('last-event-id'), query.from);
      // Whoever may not be told of the run is to get an answer, and no stream that breaks off.
      registry.directory(id);
      const headers = {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        // The stream is sent piece by piece from the first one on.
        'transfer-encoding': 'chunked',
      };
      if (context.req.method === 'HEAD') return context.body(null, 200, headers);
      const stream = streams.open();
      const body = eventStream({
        events: registry.events(id, { from, signal: stream.signal }),
        stream,
        ending: () => {
          const { status, seq } = registry.detail(id);
          return { id, status, seq };
        },
        problemOf: (error) => problemText(error, log),
      });
      return context.body(body, 200, headers);
    },
  }),
];

/** Behind what a client has; it knows better than the address, which stays the same when a browser connects again. */
function firstEvent(last: string | undefined, from: string | undefined): number {
  if (last !== undefined && last !== '') return eventNumber(last, 'Last-Event-ID') + 1;
  return from === undefined ? 1 : Math.max(1, eventNumber(from, 'from'));
}

function eventNumber(text: string, what: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ProblemError('bad_request', `${what} must be the number of an event, found "${text}"`);
}
