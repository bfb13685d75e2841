import { describe, expect, test } from 'vitest';
import { endless, openRegistry, type TestRegistry, until } from './harness.js';

const dot =
  'digraph g { graph [env_requires="RELEASE"]; start [shape=Mdiamond]; done [shape=Msquare]; start -> done }';

const refused =
  'warning: the run did not start: nothing was started, because of 1 problem:\n  $RELEASE, which `env_requires` names, is not set';

describe('a run that lacks a variable is refused, and the log does not say that it was interrupted', () => {
  test('at once', async () => {
    const server = await openRegistry();
    await expect(server.registry.submit({ dot })).rejects.toMatchObject({ code: 'bad_request' });
    expect(problemsOf(server)).toEqual([]);
  });

  test('when it is its turn', async () => {
    const variables: Record<string, string> = { RELEASE: '2.0' };
    const server = await openRegistry({ maxRunning: 1, variables });
    const { registry } = server;
    const first = await registry.submit(endless);
    expect(await registry.submit({ dot })).toMatchObject({ status: 'queued' });
    delete variables.RELEASE;
    await registry.cancel(first.id);
    await until(() => problemsOf(server).length > 0);
    expect(problemsOf(server)).toEqual([refused]);
  });
});

function problemsOf({ logged }: TestRegistry): readonly string[] {
  return logged.filter(({ level }) => level !== 'info').map(({ level, message }) => `${level}: ${message}`);
}
