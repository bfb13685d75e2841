import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { pullRun } from '../../../src/cluster/pull-run.js';
import { compile } from '../../../src/compiler/compile.js';
import type { Outcome } from '../../../src/machine/outcome.js';
import { HandlerRegistry } from '../../../src/run/driver/handler-registry.js';
import { run } from '../../../src/run/run.js';
import { virtualClock } from '../../../src/run/simulate/virtual-clock.js';
import type { FileSystem } from '../../../src/run-directory/file-system.js';
import { submitted, WorkerDied } from '../../cluster/harness.js';
import { linePipelines, outcomeSequences, pipelines } from '../../machine/arbitrary-program.js';
import { failingBranches, listOf } from '../../run/harness.js';
import { fc, runsOf } from '../../support/fast-check.js';
import { memoryFileSystem } from '../../support/memory-file-system.js';
import { virtualStart } from '../../support/virtual-clock.js';

const numRuns = runsOf(25);

vi.setConfig({ testTimeout: 120_000 + 5000 * numRuns });

/** Stages that leave files, of which some are large, some the same at each visit, and some are not of the engine. */
function handlersOf(sequence: readonly Outcome[], fileSystem: () => FileSystem): HandlerRegistry {
  const registry = new HandlerRegistry();
  for (const type of ['codergen', 'tool', 'wait.human'])
    registry.register(type, {
      execute: async (stage) => {
        const { node, visit, attempt } = stage;
        stage.writeFile('prompt.md', `Do ${node.id}`);
        stage.writeFile('response.md', `${node.id} ${visit} ${attempt}\n`.repeat(visit % 2 === 0 ? 5000 : 1));
        if (visit === 1)
          fileSystem().writeFile(path.join(stage.stageDirectory, 'first visit.bin'), Buffer.from([0, 255]));
        stage.artifacts.store(`${node.id}.${visit}`, 'numbers', 'x'.repeat(visit === 2 ? 110_000 : 10));
        return sequence[(Number(node.id.slice(1)) + visit + attempt) % sequence.length];
      },
    });
  return registry;
}

const inputs = Object.fromEntries([1, 2, 3].map((items) => [listOf(items), Array(items).fill('item')]));
const options = { ruleSettings: failingBranches, inputs };

async function localFiles(dot: string, sequence: readonly Outcome[]): Promise<ReadonlyMap<string, string>> {
  const fileSystem = memoryFileSystem();
  const directory = '/dev/null/local/run';
  await run(compile(dot, { ruleSettings: failingBranches }), {
    ...options,
    handlers: handlersOf(sequence, () => fileSystem),
    clock: virtualClock({ start: virtualStart }),
    fileSystem,
    runDirectory: directory,
  });
  return filesIn(fileSystem, directory);
}

/** Files of stages, and the list of the artifacts, without what a clock has written. */
function filesIn(fileSystem: FileSystem, directory: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const look = (place: string): void => {
    for (const name of fileSystem.readdir(path.join(directory, place))) {
      const inner = path.posix.join(place, name);
      const file = path.join(directory, inner);
      if (fileSystem.stat(file)?.isDirectory() === true) look(inner);
      else if (place !== '' && name !== 'status.json')
        found.set(
          inner,
          fileSystem
            .readFile(file)
            .toString('latin1')
            .replaceAll(/"stored_at":"[^"]*"/g, ''),
        );
    }
  };
  look('');
  return found;
}

test.each([
  ['lines', linePipelines],
  ['any', pipelines],
] as const)('for %s: a run directory can be had anywhere, whichever workers died', async (_name, family) => {
  await fc.assert(
    fc.asyncProperty(family, outcomeSequences, fc.array(fc.nat({ max: 4 })), async (dot, sequence, lives) => {
      let fileSystem = memoryFileSystem();
      const handlers = handlersOf(sequence, () => fileSystem);
      const cluster = await submitted(dot, { ...options, handlers });
      const onDisk = (disk: FileSystem): void => {
        fileSystem = disk;
      };
      for (const mostSteps of lives)
        await cluster.work({ mostSteps: mostSteps + 1, onDisk }).catch((error: unknown) => {
          if (!(error instanceof WorkerDied)) throw error;
        });
      let hasLived = false;
      const history = await cluster.work({
        onDisk,
        onLive: () => {
          hasLived = true;
        },
      });
      const pulled = memoryFileSystem();
      const directory = '/dev/null/pulled/run';
      const compileOptions = { ruleSettings: failingBranches };
      const missing = await pullRun({ history, files: cluster.store }, directory, {
        fileSystem: pulled,
        compileOptions,
      });
      expect(missing).toEqual([]);
      const found = filesIn(pulled, directory);
      if (hasLived) expect(found).toEqual(filesIn(fileSystem, '/dev/null/worker/run'));
      // Branches are free to end in another order.
      if (family === linePipelines) expect(found).toEqual(await localFiles(dot, sequence));
    }),
    { numRuns, endOnFailure: true },
  );
});
