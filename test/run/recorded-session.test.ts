import { expect, test } from 'vitest';
import { journalText } from '../../src/journal/journal.js';
import type { RunEvent } from '../../src/machine/event.js';
import { recordedSession, type StoredRun } from '../../src/run/recorded-session.js';
import { memoryFileSystem } from '../support/memory-file-system.js';
import { pipeline, programOf, runPipeline } from './harness.js';

const dot = pipeline('one', 'start -> one -> exit');
const directory = '/run';

/** Reads the session of a run whose last event has a field that no event has. @param end hash by which its directory is known */
async function sessionOf(end?: (hash: string) => string) {
  const { events } = await runPipeline(dot);
  const last = { ...events.at(-1), description: 5 } as unknown as RunEvent;
  const { text, hash } = journalText([...events.slice(0, -1), last], '');
  const fileSystem = memoryFileSystem();
  fileSystem.mkdir(directory);
  fileSystem.writeFile(`${directory}/events.jsonl`, text);
  const run = { directory, manifest: {}, program: programOf(dot), settings: {} };
  const cache = end && { lock: { release: () => undefined }, seq: events.length, hash: end(hash) };
  return recordedSession({ ...run, cache } as unknown as StoredRun, fileSystem);
}

test('the fields of a journal are checked before a run continues from it', async () => {
  await expect(sessionOf()).rejects.toThrow('is damaged in line');
});

test('those of the journal that this worker has made are not: its hash says that nobody else has written to it', async () => {
  expect((await sessionOf((hash) => hash)).state.status).toBe('success');
});

test('a journal of somebody else in the directory of this worker is not continued', async () => {
  await expect(sessionOf(() => '0')).rejects.toThrow('another process has written to it');
});
