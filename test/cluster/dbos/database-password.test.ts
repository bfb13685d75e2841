import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checkDatabase } from '../../../src/cluster/dbos/check-database.js';

/** Message of PostgreSQL about the login: 10 begins SCRAM, 11 continues it. */
function aboutLogin(code: 10 | 11, text: string): Buffer {
  const content = Buffer.from(text);
  const message = Buffer.alloc(9 + content.length);
  message.write('R', 0);
  message.writeInt32BE(8 + content.length, 1);
  message.writeInt32BE(code, 5);
  content.copy(message, 9);
  return message;
}

/** Server that asks for a password by SCRAM. */
function wantPassword(socket: Socket): void {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    socket.write(aboutLogin(10, 'SCRAM-SHA-256\0\0'));
    socket.once('data', (first) => {
      const nonce = /r=([^,\0]+)/.exec(first.toString())?.[1];
      socket.write(aboutLogin(11, `r=${nonce}server,s=c2FsdA==,i=4096`));
    });
  });
}

test('a URL without a password, of a server that needs one: says so at once, and leaves no connection', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    wantPassword(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await expect(checkDatabase(`postgresql://boss@127.0.0.1:${port}/attractor`)).rejects.toThrow(
    'the database cannot be used: the server needs a password; put it into the URL, PGPASSWORD or ~/.pgpass (mode 600)',
  );
  const [socket] = sockets;
  if (socket === undefined) throw new Error('nobody has connected');
  if (!socket.closed) await once(socket, 'close');
  expect(sockets).toHaveLength(1);
});
