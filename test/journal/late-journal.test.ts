import { expect, test } from 'vitest';
import type { Journal, JournalEnd } from '../../src/journal/journal.js';
import { LateJournal } from '../../src/journal/late-journal.js';
import type { RunEvent } from '../../src/machine/event.js';

const end: JournalEnd = { size: 10, hash: 'h', torn: 0 };

/** A journal whose file comes when the test says so, and what reaches the file. */
function late(checkOwner: () => void = () => undefined) {
  const written: number[] = [];
  const file = {
    append: (events: readonly RunEvent[]) => void written.push(...events.map(({ seq }) => seq)),
  };
  const opened = { ...file, close: () => void written.push(-1) } as unknown as Journal;
  let arrive: (end: JournalEnd) => void = () => undefined;
  let lose: (error: Error) => void = () => undefined;
  const ready = new Promise<JournalEnd>((resolve, reject) => {
    arrive = resolve;
    lose = reject;
  });
  const journal = new LateJournal(ready, () => opened, checkOwner);
  const append = (seq: number): void => journal.append([{ seq } as RunEvent]);
  return {
    journal,
    append,
    written,
    arrive: () => arrive(end),
    lose: () => lose(new Error('the disk is full')),
  };
}

test('what is appended before the file is there reaches it first, in order', async () => {
  const { journal, append, written, arrive } = late();
  append(1);
  append(2);
  expect(written).toEqual([]);
  arrive();
  await journal.settled;
  append(3);
  expect(written).toEqual([1, 2, 3]);
});

test('a journal that was closed before the file came is written to its end, and closed', async () => {
  const { journal, append, written, arrive } = late();
  append(1);
  journal.close();
  arrive();
  await journal.settled;
  expect(written).toEqual([1, -1]);
});

test('without its file, nothing is written, and the run goes on', async () => {
  const { journal, append, written, lose } = late();
  append(1);
  lose();
  await journal.settled;
  append(2);
  expect(written).toEqual([]);
});

test('who has lost the run may not append, though the file is not there', () => {
  const { append } = late(() => {
    throw new Error('taken over');
  });
  expect(() => append(1)).toThrow('taken over');
});
