import { type Running, startAttractor, temporaryDirectory } from '../process/attractor.js';
import { clientOf, type PageServer } from './page-server.js';
import { portOfItsOwn } from './port-of-its-own.js';

/** The built command line as a process that serves, with a home of its own. A restart ends it without a warning. */
export async function startPageProcess(): Promise<PageServer> {
  const directory = temporaryDirectory();
  const port = await portOfItsOwn();
  let server = await serve(directory, port);
  const [, url = '', token = ''] = link.exec(server.output()) ?? [];
  return {
    ...clientOf(url, token),
    directory,
    async restart(whileItIsAway) {
      await end(server, 'SIGKILL');
      await whileItIsAway?.();
      server = await serve(directory, port);
    },
    close: () => end(server, 'SIGTERM'),
  };
}

const link = /(http:\S+)\/\?token=(\S+)\n/;

async function serve(cwd: string, port: number): Promise<Running> {
  const env = { HOME: cwd, XDG_CONFIG_HOME: undefined };
  const server = startAttractor(
    ['serve', '--port', String(port), '--no-config', '--provider', 'simulated', '--rate', '10000'],
    {
      cwd,
      env,
    },
  );
  await server.until('it listens', () => link.test(server.output()));
  return server;
}

async function end(server: Running, signal: NodeJS.Signals): Promise<void> {
  server.kill(signal);
  await server.finished;
}
