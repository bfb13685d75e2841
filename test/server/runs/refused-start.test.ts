import { describe, expect, test } from 'vitest';
import { endless, openRegistry, type TestRegistry, until } from './harness.js';

const dot =
  'digraph g { graph [inputs="version: string"]; start [shape=Mdiamond]; done [shape=Msquare]; start -> done }';

const refused =
  'warning: the run did not start: 1 input cannot be used; nothing was started:\n  version: expected a string, but it is not given';

describe('a run that lacks an input is refused, and the log does not say that it was interrupted', () => {
  test('at once', async () => {
    const server = await openRegistry();
    await expect(server.registry.submit({ dot })).rejects.toMatchObject({ code: 'bad_request' });
    await until(() => server.logged.length > 0);
    expect(problemsOf(server)).toEqual([refused]);
  });

  test('when it is its turn', async () => {
    const server = await openRegistry({ maxRunning: 1 });
    const { registry } = server;
    const first = await registry.submit(endless);
    expect(await registry.submit({ dot })).toMatchObject({ status: 'queued' });
    await registry.cancel(first.id);
    await until(() => problemsOf(server).length > 0);
    expect(problemsOf(server)).toEqual([refused]);
  });
});

function problemsOf({ logged }: TestRegistry): readonly string[] {
  return logged.filter(({ level }) => level !== 'info').map(({ level, message }) => `${level}: ${message}`);
}
