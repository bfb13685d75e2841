import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/machine/event.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import type { FileSystem } from '../../src/run-directory/file-system.js';
import { pipeline } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { forkedFrom, submitted, type TestCluster, WorkerDied } from './harness.js';

const line = pipeline('a', 'b', 'c', 'start -> a -> b -> c -> exit');

/** Stages that leave a file and an artifact at each visit, and a list of what was done. */
function working() {
  const done: string[] = [];
  const handlers = new HandlerRegistry().register('codergen', {
    execute: async ({ node, visit, writeFile, artifacts }) => {
      done.push(node.id);
      writeFile('response.md', `${node.id} ${visit}`);
      artifacts.store(`by-${node.id}`, node.id, visit);
      return { status: 'success' };
    },
  });
  return { done, handlers };
}

/** Resumes a fork, and carries it to its end. */
async function resumed(fork: TestCluster, onDisk?: (disk: FileSystem) => void) {
  fork.engine.send({ kind: 'resume', id: 'go' });
  return fork.work({ onDisk });
}

function own({ engine }: TestCluster): readonly RunEvent[] {
  return engine.events;
}

describe('a fork of a run in a cluster', () => {
  test.each([
    { point: { at: 'b' }, again: ['b', 'c'] },
    { point: { step: 0 }, again: ['a', 'b', 'c'] },
    { point: { step: 2 }, again: ['c'] },
    { point: { at: 'exit' }, again: [] },
  ])('continues after what it shares: $point', async ({ point, again }) => {
    const { done, handlers } = working();
    const original = await submitted(line, { handlers });
    await original.work();
    const recorded = [...own(original)];
    const fork = await forkedFrom(original, point, { handlers });
    done.length = 0;
    const { view, run } = await resumed(fork);
    expect(view.status).toBe('success');
    expect(done).toEqual(again);
    expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, index) => index + 1));
    expect(new Set(run.events.map(({ run_id }) => run_id))).toEqual(new Set(['fork']));
    expect(own(original)).toEqual(recorded);
  });

  test('rests until it is resumed, and is taken over like any other', async () => {
    const { done, handlers } = working();
    const original = await submitted(line, { handlers });
    await original.work();
    const fork = await forkedFrom(original, { at: 'b' }, { handlers });
    done.length = 0;
    const first = fork.work({ mostSteps: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual([]);
    fork.engine.send({ kind: 'resume', id: 'go' });
    await expect(first).rejects.toThrow(WorkerDied);
    await fork.work({ mostSteps: 3 }).catch(() => undefined);
    expect((await fork.work()).view.status).toBe('success');
    expect(done.filter((id) => id === 'a')).toEqual([]);
  });

  test('continues where a run failed', async () => {
    let isBroken = true;
    const handlers = new HandlerRegistry().register('codergen', {
      execute: async ({ node }) => ({ status: isBroken && node.id === 'b' ? 'fail' : 'success' }),
    });
    const original = await submitted(line, { handlers });
    expect((await original.work()).view.status).toBe('fail');
    isBroken = false;
    const fork = await forkedFrom(original, {}, { handlers });
    expect((await resumed(fork)).view.status).toBe('success');
  });

  test('has the files of what it shares, as they were, in a store of its own', async () => {
    const loop = pipeline(
      'a',
      'b',
      'c',
      'start -> a -> b',
      'b -> a [condition="context.again=yes"]',
      'b -> c [condition="context.again!=yes"]',
      'c -> exit',
    );
    const handlers = new HandlerRegistry().register('codergen', {
      execute: async ({ node, visit, writeFile, artifacts }) => {
        writeFile('response.md', `${node.id} ${visit}`);
        artifacts.store('latest', 'latest', `${node.id} ${visit} ${'x'.repeat(200_000)}`);
        return { status: 'success', context_updates: { again: node.id === 'b' && visit < 3 ? 'yes' : 'no' } };
      },
    });
    const original = await submitted(loop, { handlers });
    await original.work();
    const fork = await forkedFrom(original, { step: 3 }, { handlers });
    const kept = [...original.store.contents.keys()];
    let disk: FileSystem | undefined;
    const atStart = new Map<string, string>();
    fork.engine.send({ kind: 'resume', id: 'go' });
    await fork.work({
      onDisk: (given) => {
        disk = given;
      },
      onPrepare: async () => {
        for (const name of [
          'a/response.md',
          'a/visit-1/response.md',
          'b/response.md',
          'artifacts/latest.json',
        ])
          atStart.set(
            name,
            disk?.readFile(`/dev/null/worker/run/${name}`).toString('utf8').slice(0, 20) ?? '',
          );
      },
    });
    expect(Object.fromEntries(atStart)).toEqual({
      'a/response.md': 'a 2',
      'a/visit-1/response.md': 'a 1',
      'b/response.md': 'b 1',
      'artifacts/latest.json': '"a 2 xxxxxxxxxxxxxxx',
    });
    expect(disk?.exists('/dev/null/worker/run/c/response.md')).toBe(true);
    expect([...original.store.contents.keys()]).toEqual(kept);
    // Nothing but the store of the fork is needed from now on.
    original.store.contents.clear();
    expect((await fork.work()).view.status).toBe('success');
  });

  test('shares the child of a stage that has ended, and starts that of another one anew', async () => {
    const workingDirectory = temporaryDirectory();
    writeFileSync(path.join(workingDirectory, 'child.dot'), pipeline('x', 'start -> x -> exit'));
    const parent = pipeline(
      'one [type=pipeline, child="child.dot"]',
      'two [type=pipeline, child="child.dot"]',
      'start -> one -> two -> exit',
    );
    const { done, handlers } = working();
    const original = await submitted(parent, { handlers, workingDirectory }, workingDirectory);
    const before = await original.work();
    expect([...before.children.keys()]).toEqual(['one/child', 'two/child']);
    const fork = await forkedFrom(original, { at: 'two' }, { handlers }, workingDirectory);
    done.length = 0;
    const { view, children } = await resumed(fork);
    expect(view.status).toBe('success');
    expect(done).toEqual(['x']);
    const idOf = (place: string, of = children) => JSON.parse(of.get(place)?.manifest ?? '{}');
    expect(idOf('one/child').run_id).toBe(idOf('one/child', before.children).run_id);
    expect(idOf('two/child').run_id).not.toBe(idOf('two/child', before.children).run_id);
    expect([idOf('one/child').parent.run_id, idOf('two/child').parent.run_id]).toEqual(['fork', 'fork']);
  });
});
