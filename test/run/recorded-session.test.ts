import { expect, test } from 'vitest';
import { journalText } from '../../src/journal/journal.js';
import type { RunEvent } from '../../src/machine/event.js';
import { JournalFold } from '../../src/run/journal-fold.js';
import { recordedSession, type StoredRun } from '../../src/run/recorded-session.js';
import { memoryFileSystem } from '../support/memory-file-system.js';
import { pipeline, programOf, runPipeline } from './harness.js';

const dot = pipeline('one', 'start -> one -> exit');
const directory = '/run';

test('the fields of a journal are checked before a run continues from it', async () => {
  const { events } = await runPipeline(dot);
  const last = { ...events.at(-1), description: 5 } as unknown as RunEvent;
  const fileSystem = memoryFileSystem();
  fileSystem.mkdir(directory);
  fileSystem.writeFile(`${directory}/events.jsonl`, journalText([...events.slice(0, -1), last]).text);
  const run = { directory, manifest: {}, program: programOf(dot), settings: {} } as unknown as StoredRun;
  expect(() => recordedSession(run, fileSystem)).toThrow('is damaged in line');
});

test('a run whose history is kept elsewhere continues from it, and reads no journal', async () => {
  const { events } = await runPipeline(dot);
  const program = programOf(dot);
  const fold = new JournalFold(program);
  fold.add(events.slice(0, 3), () => expect.fail('it fits'));
  const end = { size: 0, hash: '', torn: 0 };
  const cache = { fold: fold.data, events: events.slice(3), end };
  const run = { directory, manifest: {}, program, settings: {}, cache } as unknown as StoredRun;
  const { state } = recordedSession(run, memoryFileSystem());
  expect([state.status, state.seq]).toEqual(['success', events.length]);
});
