import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/server/app.js';
import { securityHeaders } from '../../src/server/security/security-headers.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { type AskedServer, askedServer } from './asked-server.js';

const clients = 60;

/** It goes in a circle until it has had all its steps. */
const circle = `digraph circle { start [shape=Mdiamond]; done [shape=Msquare]; a [shape=diamond]; b [shape=diamond]
  start -> a -> b -> a; b -> done [condition="context.never=1"] }`;

/** Connects to a server that answers `server`'s requests at a socket of this machine, whose bytes are there when they are written. */
async function connected({ parts }: AskedServer, onAnswer: () => void) {
  const listener = getRequestListener(createApp(parts, [securityHeaders]).fetch, {
    overrideGlobalObjects: false,
  });
  const server = createServer((incoming, outgoing) => {
    outgoing.once('finish', onAnswer);
    void listener(incoming, outgoing);
  });
  const file = path.join(temporaryDirectory(), 'socket');
  await new Promise<void>((resolve) => server.listen(file, resolve));
  const socket = connect(file);
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  await once(socket, 'connect');
  return socket;
}

describe('§9.5 streams of events', () => {
  test('let a request have its turn between any two of their pieces', async () => {
    const server = await askedServer();
    const id = await server.run(circle, { simulate: true, max_steps: 60 });
    await server.until(id, 'fail');
    // Letter by letter what happens: a piece of a stream, a request that is there, its answer.
    let log = '';
    const socket = await connected(server, () => {
      log += 'A';
    });
    const request = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const ask = (): void => {
      socket.write(request);
      log += 'R';
    };
    socket.on('data', ask);
    ask();
    await Promise.all(
      Array.from({ length: clients }, async () => {
        const { body } = await server.ask(`/pipelines/${id}/events`);
        // Not what it begins with, when no event has been read.
        for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? [])
          if (piece.includes('data:')) log += '.';
      }),
    );
    expect(log.split('.').length).toBeGreaterThan(3 * clients);
    const waits = [...log.matchAll(/R(\.*)A/g)].map(([, pieces = '']) => pieces.length);
    // The one that was on its way when the request came, and one more.
    expect(Math.max(...waits)).toBeLessThanOrEqual(2);
    expect(waits.length).toBeGreaterThan(clients);
  });
});
