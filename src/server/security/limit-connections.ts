import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the connections of a server (§9.5). A new connection over the limit replaces the one that has been
 * idle for longest: it never sent a request, sends one that does not end, or has its answer. A connection
 * whose request is being answered, such as a stream of events, is never replaced; if all are, the new one
 * is closed.
 */
export function limitConnections(server: Server, most: number): void {
  const open = new Set<Socket>();
  const requests = new Map<Socket, number>();
  // Sets keep the order in which something was added.
  const idle = new Set<Socket>();
  const forget = (socket: Socket): void => {
    open.delete(socket);
    idle.delete(socket);
    requests.delete(socket);
  };
  const close = (socket: Socket): void => {
    forget(socket);
    socket.destroy();
  };
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size > most) {
      const [longest = socket] = idle;
      close(longest);
    }
    if (open.has(socket)) idle.add(socket);
  });
  server.prependListener('request', ({ socket }, outgoing) => {
    idle.delete(socket);
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    outgoing.once('close', () => {
      const left = (requests.get(socket) ?? 1) - 1;
      requests.set(socket, left);
      if (left === 0 && open.has(socket)) idle.add(socket);
    });
  });
}
