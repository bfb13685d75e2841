import { expect, test } from 'vitest';
import type { FileChange } from '../../../src/cluster/files/file-change.js';
import { FileTree } from '../../../src/cluster/files/file-tree.js';
import { leftAfter, StageFileLog } from '../../../src/cluster/spread/left-files.js';
import type { LeftFiles } from '../../../src/cluster/spread/stage-queue.js';
import { fc } from '../../support/fast-check.js';

const places = ['s/a', 's/d', 's/d/x', 's/d/y'].map((path) => ({ path }));
const contents = fc.record({ sha256: fc.constantFrom('1', '2', '3'), size: fc.constant(1) });
const isAdded = fc.constantFrom(true as const, undefined);

const change: fc.Arbitrary<FileChange> = fc.constantFrom(...places).chain((place) =>
  fc.oneof(
    fc.record({ content: contents, isAdded }).map(
      ({ content, isAdded: added }): FileChange => ({
        ...place,
        kind: 'stored',
        ...content,
        isAdded: added,
      }),
    ),
    fc.constant<FileChange>({ ...place, kind: 'same', as: 'before' }),
    fc.constant<FileChange>({ ...place, kind: 'left_out', size: 1, reason: 'large' }),
    fc.constant<FileChange>({ ...place, kind: 'removed' }),
  ),
);

/** Collections of an execution, each of changes; whether a step has recorded one is part of it. */
const execution = fc.array(fc.record({ changes: fc.array(change), isRecorded: fc.boolean() }));

function treeOfRun(): FileTree {
  const tree = new FileTree();
  for (const path of ['before', 's/a', 's/d/x']) tree.apply({ path, kind: 'stored', sha256: path, size: 1 });
  return tree;
}

function sorted(left: LeftFiles | undefined): LeftFiles {
  return {
    files: (left?.files ?? []).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    removed: (left?.removed ?? []).toSorted(),
  };
}

test('what steps say of files makes all that an attempt has left, whoever has begun it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(execution), async (executions) => {
      let recorded: LeftFiles | undefined;
      for (const collections of executions) {
        let changes: readonly FileChange[] = [];
        const collect = async () => ({ changes, warnings: [] });
        const log = new StageFileLog({ collect }, treeOfRun(), { run: '', stage: 's' });
        if (recorded !== undefined) log.begin(recorded);
        for (const collection of collections) {
          changes = collection.changes;
          const { left } = await log.collect();
          if (!collection.isRecorded) continue;
          recorded = leftAfter(recorded, log.takeChanges());
          expect(sorted(recorded)).toEqual(sorted(left));
        }
      }
    }),
  );
});
