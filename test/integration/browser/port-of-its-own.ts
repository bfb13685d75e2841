import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that systems give to whoever asks for any. */
const [lowest, highest] = [20_000, 30_000];

/**
 * A free port for a server that is to be away for a while: nobody who asks the system for any port, as other tests do and as
 * every connection does, is given it meanwhile.
 */
export async function portOfItsOwn(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
