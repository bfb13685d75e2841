import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { missingBackendNotice } from '../../src/run/provided-handlers.js';
import { readCheckpoint } from '../../src/run-directory/read-checkpoint.js';
import { summarizeRun } from '../../src/view/summarize-run.js';
import { fileOf, jsonOf, pipeline, resumePipeline, runOnDisk } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const dot = pipeline('a', 'g [shape=hexagon]', 'b', 'start -> a -> g -> b -> exit');
const setup = { script: { a: { context_updates: { __proto__x: 1, n: [1, 2], s: 'ä' } } }, inputs: { i: 1 } };

/** A run that waits, and its checkpoint. */
async function paused() {
  const { directory } = await runOnDisk(dot, setup);
  const written: Readonly<Record<string, unknown>> = jsonOf(directory, 'checkpoint.json');
  return { directory, written };
}

function directoryWith(checkpoint: unknown): string {
  const directory = temporaryDirectory();
  const text = typeof checkpoint === 'string' ? checkpoint : JSON.stringify(checkpoint);
  writeFileSync(path.join(directory, 'checkpoint.json'), text);
  return directory;
}

/** The checkpoint of §5.3 by the names of its fields, where they differ from what its `save` writes. */
function byFields({ context, ...others }: Readonly<Record<string, unknown>>): object {
  return { ...others, context_values: context };
}

describe('5.3: a checkpoint that is read', () => {
  test('is what a run has written', async () => {
    const { directory, written } = await paused();
    expect(readCheckpoint(directory)).toEqual(written);
  });

  test('66a: has its context under the name of the field too', async () => {
    const { written } = await paused();
    expect(readCheckpoint(directoryWith(byFields(written)))).toEqual(written);
    const both = { ...written, context_values: { other: 1 } };
    expect(readCheckpoint(directoryWith(both))).toEqual(written);
  });

  test('66a: may have no more than the specification says', async () => {
    const { written } = await paused();
    const { timestamp, current_node, completed_nodes, node_retries, context, logs } = written;
    const six = { timestamp, current_node, completed_nodes, node_retries, context, logs };
    for (const checkpoint of [six, byFields(six)]) {
      expect(readCheckpoint(directoryWith(checkpoint))).toMatchObject({ ...six, next_node: null, seq: 0 });
    }
  });

  test.each<[string, unknown]>([
    ['is cut off', '{"timestamp": "20'],
    ['is a list', []],
    [
      'has no context',
      { timestamp: '', current_node: null, completed_nodes: [], node_retries: {}, logs: [] },
    ],
    [
      'has a list for its context',
      { timestamp: '', current_node: null, completed_nodes: [], node_retries: {}, logs: [], context: [] },
    ],
  ])('is none where it %s', (_name, checkpoint) => {
    expect(readCheckpoint(directoryWith(checkpoint))).toBeUndefined();
  });

  test('is none where there is none', () => {
    expect(readCheckpoint(temporaryDirectory())).toBeUndefined();
  });
});

test('66a: a run whose checkpoint calls the context by the name of its field is listed, and continues, like any other', async () => {
  const untouched = await paused();
  const { directory, written } = await paused();
  const file = path.join(directory, 'checkpoint.json');
  writeFileSync(file, JSON.stringify(byFields(written)));
  expect(summarizeRun(directory)).toMatchObject({ status: 'paused', current_node: 'a', steps: 1 });
  const notices: string[] = [];
  const { result } = await resumePipeline(
    directory,
    { autoApprove: true },
    { onNotice: (notice) => notices.push(notice) },
  );
  const other = await resumePipeline(untouched.directory, { autoApprove: true });
  expect(notices).toEqual([missingBackendNotice]);
  expect(result.context).toEqual(other.result.context);
  expect(fileOf(directory, 'checkpoint.json')).toContain('"context":');
});
