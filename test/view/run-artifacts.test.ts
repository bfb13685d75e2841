import { appendFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Handler } from '../../src/handlers/handler.js';
import { artifactList, readArtifact } from '../../src/view/run-artifacts.js';
import { artifactListSchema } from '../../src/view/stage-schema.js';
import { pipeline, runOnDisk } from '../run/harness.js';

const storing: Handler['execute'] = ({ artifacts }) => {
  artifacts.store('gone', 'Gone', 1);
  artifacts.store('small', 'A small one', { a: [1, 'two'] });
  artifacts.store('large', 'A large one', 'x'.repeat(200_000));
  artifacts.store('small', 'A newer one', { a: 'new' });
  artifacts.remove('gone');
  return { status: 'success' };
};

async function runThatStores(): Promise<string> {
  const dot = pipeline('a [type=store]', 'start -> a -> exit');
  return (await runOnDisk(dot, { handlers: { store: storing } })).directory;
}

test('§5.5 the artifacts of a run, and what they hold', async () => {
  const directory = await runThatStores();
  appendFileSync(path.join(directory, 'artifacts', 'index.jsonl'), '{"op":"rem');
  const { artifacts } = artifactListSchema.parse(artifactList(directory));
  expect(artifacts.map(({ id, name, bytes }) => [id, name, bytes])).toEqual([
    ['large', 'A large one', 200_002],
    ['small', 'A newer one', 11],
  ]);
  expect(readArtifact(directory, 'small')).toEqual({
    kind: 'found',
    data: Buffer.from('{"a":"new"}'),
    size: 11,
  });
  expect(readArtifact(directory, 'large', { limit: 3 })).toEqual({
    kind: 'found',
    data: Buffer.from('"xx'),
    size: 200_002,
  });
  for (const id of ['gone', '../manifest', '__proto__', 'large.json']) {
    expect(readArtifact(directory, id).kind).toBe('missing');
  }
});

test('73: a link in the place of an artifact is refused, and one that is lost is missing', async () => {
  const directory = await runThatStores();
  const file = path.join(directory, 'artifacts', 'large.json');
  rmSync(file);
  expect(readArtifact(directory, 'large').kind).toBe('missing');
  symlinkSync(path.join(directory, 'manifest.json'), file);
  expect(readArtifact(directory, 'large').kind).toBe('refused');
});

test('§5.5 most runs store nothing', async () => {
  const { directory } = await runOnDisk(pipeline('start -> exit'));
  expect(artifactList(directory)).toEqual({ artifacts: [] });
});
