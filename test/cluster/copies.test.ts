import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Batch } from '../../src/cluster/durable-run.js';
import { RunMirror } from '../../src/cluster/mirror/run-mirror.js';
import { pullRun } from '../../src/cluster/pull-run.js';
import { RunHistory } from '../../src/cluster/run-history.js';
import type { CompileOptions } from '../../src/compiler/compile.js';
import { startResuming } from '../../src/run/execution.js';
import { fork } from '../../src/run/recording/fork.js';
import { cancel, resume } from '../../src/run/run.js';
import { pipeline } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { handlersOf, submitted } from './harness.js';
import { MemoryRun } from './memory-cluster.js';

/** A copy of a run of a cluster whose child failed, while its worker has died. Nothing that is recorded says what it is, as in old runs. */
async function copied() {
  const home = temporaryDirectory();
  writeFileSync(path.join(home, 'child.dot'), pipeline('x', 'start -> x -> exit'));
  const dot = pipeline('a', 'one [type=pipeline, child="child.dot"]', 'start -> a -> one -> exit');
  const handlers = handlersOf([{ status: 'success' }, { status: 'fail' }]);
  const cluster = await submitted(dot, { handlers, workingDirectory: home }, home);
  await cluster.work({ mostSteps: 5 }).catch(() => undefined);
  const history = new RunHistory(cluster.submission);
  for (const batch of cluster.engine.batches) history.add(withoutMark(batch));
  const directory = path.join(home, 'copy');
  await pullRun({ history, files: cluster.store }, directory);
  return { directory, handlers, child: path.join(directory, [...history.children.keys()][0] ?? '') };
}

function withoutMark(batch: Batch): Batch {
  const records = batch.records.map(({ files, ...record }) =>
    files === undefined ? record : { ...record, files: { ...files, manifest: unmarked(files.manifest) } },
  );
  return { ...batch, records };
}

function unmarked(manifest: string): string {
  const { in_cluster: mark, ...others } = JSON.parse(manifest);
  expect(mark).toBe(true);
  return JSON.stringify(others);
}

const isExecutedElsewhere = expect.objectContaining({
  code: 'run_locked',
  message: expect.stringMatching(/is a copy of a run that the workers of a cluster execute/),
});

describe('a copy of a run of a cluster', () => {
  test.each([
    ['resume', async (directory: string) => resume(directory)],
    ['startResuming', async (directory: string) => startResuming(directory)],
    ['cancel', async (directory: string) => cancel(directory)],
  ])('is not driven on by %s, nor is a child there', async (_, drive) => {
    const { directory, child } = await copied();
    await expect(drive(directory)).rejects.toEqual(isExecutedElsewhere);
    await expect(drive(child)).rejects.toEqual(isExecutedElsewhere);
  });

  test('is not driven on where a command keeps one either', async () => {
    const cluster = await submitted(pipeline('a', 'start -> a -> exit'), { simulate: true });
    const directory = path.join(temporaryDirectory(), 'mirror');
    const mirror = RunMirror.open(new MemoryRun(cluster), directory, { onNotice: () => undefined });
    await mirror.close();
    await expect(resume(directory)).rejects.toEqual(isExecutedElsewhere);
  });

  test('continues on this machine as a fork, and so do the children that it shares', async () => {
    const { directory } = await copied();
    const forked = await fork(directory, { step: 2 });
    if (forked.status !== 'forked') throw new Error('the pipeline is not valid');
    const handlers = handlersOf([{ status: 'success' }]);
    expect(await resume(forked.run_dir, { handlers })).toMatchObject({ status: 'success' });
  });
});

test('a copy has the status of its stages where the pipeline compiles, and whoever makes it learns where it does not', async () => {
  const home = temporaryDirectory();
  const ruleSettings = new Map([['reachability', 'warning' as const]]);
  const dot = pipeline('a', 'lost', 'start -> a -> exit', 'lost -> exit');
  const cluster = await submitted(dot, { ruleSettings }, home);
  await cluster.work();
  const history = new RunHistory(cluster.submission);
  for (const batch of cluster.engine.batches) history.add(batch);
  const pull = async (name: string, compileOptions: CompileOptions) => {
    const directory = path.join(home, name);
    let isWithout = false;
    await pullRun({ history, files: cluster.store }, directory, {
      compileOptions,
      onWithoutViews() {
        isWithout = true;
      },
    });
    return { isWithout, hasResult: existsSync(path.join(directory, 'result.json')) };
  };
  expect(await pull('plain', {})).toEqual({ isWithout: true, hasResult: false });
  expect(await pull('whole', { ruleSettings })).toEqual({ isWithout: false, hasResult: true });
});
