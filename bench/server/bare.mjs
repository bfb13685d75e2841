// The framework alone, or Node alone, with the bytes that attractor answers: what there is to lose.
//
//   node bench/server/bare.mjs hono|node STATUS_FILE HEADERS_FILE EVENTS_FILE     prints its port

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';

const [kind, statusFile, headersFile, eventsFile] = process.argv.slice(2);
const status = readFileSync(statusFile, 'utf8');
const headers = JSON.parse(readFileSync(headersFile, 'utf8'));
const events = readFileSync(eventsFile, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((data) => ({ data, ...(({ seq, type }) => ({ id: String(seq), event: type }))(JSON.parse(data)) }));

function honoApp() {
  const app = new Hono();
  app.get('/pipelines/:id', (context) => context.body(status, 200, headers));
  app.get('/pipelines/:id/events', (context) =>
    streamSSE(context, async (stream) => {
      for (const event of events) await stream.writeSSE(event);
      await stream.writeSSE({ event: 'end', data: '{}' });
    }),
  );
  return getRequestListener(app.fetch);
}

function plainNode(request, response) {
  if (!request.url.includes('/events')) {
    response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(status) });
    response.end(status);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let next = 0;
  const write = () => {
    while (next < events.length) {
      const { id, event, data } = events[next];
      next += 1;
      if (!response.write(`event: ${event}\ndata: ${data}\nid: ${id}\n\n`)) {
        response.once('drain', write);
        return;
      }
    }
    response.end('event: end\ndata: {}\n\n');
  };
  write();
}

const server = createServer(kind === 'hono' ? honoApp() : plainNode);
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
