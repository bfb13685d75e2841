import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { limitConnections } from '../../../src/server/security/limit-connections.js';
import { httpServerOptions } from '../../../src/server/security/limits.js';
import { sendRaw } from './raw-request.js';

const most = 20;

/** A server with room for 20 connections. It answers `/stream` when the test says so, and everything else at once. */
async function crowdedServer() {
  const streams: ServerResponse[] = [];
  const server = createServer(httpServerOptions, (incoming, outgoing) => {
    if (incoming.url === '/stream') streams.push(outgoing);
    else outgoing.end('here');
    if (streams.length === most) server.emit('full');
  });
  limitConnections(server, most);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, streams, port: (server.address() as AddressInfo).port };
}

type Crowded = Awaited<ReturnType<typeof crowdedServer>>;

/** Opens a connection, sends these bytes, and waits until the server has the connection. */
async function open({ server, port }: Crowded, bytes: string): Promise<Socket> {
  const taken = once(server, 'connection');
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  socket.on('error', () => undefined);
  await taken;
  return socket;
}

async function openMany(crowded: Crowded, bytes: string, count = most): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n += 1) sockets.push(await open(crowded, bytes));
  return sockets;
}

const closed = (socket: Socket): Promise<unknown> =>
  socket.destroyed ? Promise.resolve() : once(socket.resume(), 'close');

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe('§9.5 a server that has all the connections it may have', () => {
  test.each([
    ['that send nothing', ''],
    ['that send half a request', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  ])('answers a new client in the place of the oldest of those %s', async (_what, bytes) => {
    const crowded = await crowdedServer();
    const [oldest, second, ...others] = await openMany(crowded, bytes);
    expect(await sendRaw(crowded.port, { path: '/' })).toMatchObject({ status: 200 });
    await closed(oldest as Socket);
    // The client that was answered has gone, and left room for one more.
    await open(crowded, '');
    await open(crowded, '');
    await closed(second as Socket);
    expect(others.filter(({ destroyed }) => destroyed)).toEqual([]);
  });

  test('closes one that has its answer and is kept for the next request', async () => {
    const crowded = await crowdedServer();
    const [kept] = await openMany(crowded, get('/'), 1);
    await once(kept as Socket, 'data');
    await openMany(crowded, '');
    await closed(kept as Socket);
  });

  test('keeps every connection whose request it answers, and closes the new one', async () => {
    const crowded = await crowdedServer();
    const full = once(crowded.server, 'full');
    const asking = await openMany(crowded, get('/stream'));
    await full;
    await closed(await open(crowded, get('/')));
    expect(asking.filter(({ destroyed }) => destroyed)).toEqual([]);
    const [first] = crowded.streams;
    first?.end('late');
    expect(String((await once(asking[0] as Socket, 'data'))[0])).toContain('late');
    // It is idle now, and makes room.
    expect(await sendRaw(crowded.port, { path: '/' })).toMatchObject({ status: 200 });
    await closed(asking[0] as Socket);
  });
});
