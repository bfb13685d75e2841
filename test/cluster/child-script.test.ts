import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { pipeline } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { submitted, type TestCluster, WorkerDied } from './harness.js';

// Entries for stages of a child count once over all its runs, also where another worker continues.

const child = pipeline(
  'ok [shape=hexagon]',
  'work',
  'start -> ok',
  'ok -> work [label="[Y] Yes"]',
  'ok -> exit [label="[N] No"]',
  'work -> exit',
);

const each = pipeline(
  'inputs="items: list"',
  'each [shape=component, foreach="${inputs.items}", join=last, max_parallel=1]',
  'sub [type=pipeline, child="child.dot"]',
  'last',
  'start -> each -> sub -> last -> exit',
);

/** A run of the child for three items, with a script of which each entry counts. */
async function scripted(): Promise<TestCluster> {
  const workingDirectory = temporaryDirectory();
  writeFileSync(path.join(workingDirectory, 'child.dot'), child);
  const nodes = { 'sub/work': [{ outcome: 'success' }, { outcome: 'fail' }] };
  const script = readScript({ nodes, answers: { 'sub/ok': ['Y', 'N', 'Y'] } }, 'the test');
  const inputs = { items: ['a', 'b', 'c'] };
  return submitted(each, { script, inputs, workingDirectory }, workingDirectory);
}

/** What the runs of the child have chosen, and how its scripted stage has ended, in order. */
function seenIn({ engine }: TestCluster): readonly string[] {
  return engine.batches.flatMap(({ records }) =>
    records.flatMap(({ place, events }) =>
      events.flatMap((event) => {
        if (place === undefined) return [];
        if (event.type === 'InterviewCompleted') return [event.answer.value];
        const isWork = 'node_id' in event && event.node_id === 'work';
        return isWork && (event.type === 'StageCompleted' || event.type === 'StageFailed')
          ? [event.type]
          : [];
      }),
    ),
  );
}

describe('86: a script for stages of a child', () => {
  test('continues on another worker, wherever the first one dies', { timeout: 60_000 }, async () => {
    const seen = ['Y', 'StageCompleted', 'N', 'Y', 'StageFailed'];
    for (let mostSteps = 1; ; mostSteps += 1) {
      const cluster = await scripted();
      const hasDied = await cluster.work({ mostSteps }).then(
        () => false,
        (error: unknown) => {
          expect(error).toBeInstanceOf(WorkerDied);
          return true;
        },
      );
      if (hasDied) expect((await cluster.work()).view.status).toBe('success');
      expect(seenIn(cluster)).toEqual(seen);
      if (!hasDied) break;
    }
  });
});
