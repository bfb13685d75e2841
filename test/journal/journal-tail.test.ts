import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { JournalTail } from '../../src/journal/journal-tail.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

function journal(text: string): string {
  const file = path.join(temporaryDirectory(), 'events.jsonl');
  writeFileSync(file, text);
  return file;
}

test('a journal that is not there yet has no lines, and is read as soon as it is', () => {
  const file = path.join(temporaryDirectory(), 'events.jsonl');
  const tail = new JournalTail(file);
  expect([...tail.read()]).toEqual([]);
  writeFileSync(file, 'one\n');
  expect([...tail.read()]).toEqual(['one']);
});

test('each line is given once, when it is whole', () => {
  const file = journal('one\ntwo\nthr');
  const tail = new JournalTail(file);
  expect([...tail.read()]).toEqual(['one', 'two']);
  expect([...tail.read()]).toEqual([]);
  appendFileSync(file, 'ee\nfo');
  expect([...tail.read()]).toEqual(['three']);
  appendFileSync(file, 'ur\n');
  expect([...tail.read()]).toEqual(['four']);
});

test('a torn line that the next process cuts off is never given', () => {
  const file = journal('one\ntorn');
  const tail = new JournalTail(file);
  expect([...tail.read()]).toEqual(['one']);
  truncateSync(file, 'one\n'.length);
  appendFileSync(file, 'two\n');
  expect([...tail.read()]).toEqual(['two']);
});

test('whoever stops in the middle continues there', () => {
  const tail = new JournalTail(journal('one\ntwo\nthree\n'));
  for (const line of tail.read()) if (line === 'two') break;
  expect([...tail.read()]).toEqual(['three']);
});

test('lines may be longer than what is read at once, and a character may lie across', () => {
  const lines = Array.from({ length: 5 }, (_, index) => `${'·'.repeat(200_001 + index)}${index}`);
  const tail = new JournalTail(journal(lines.map((line) => `${line}\n`).join('')));
  expect([...tail.read()]).toEqual(lines);
});

test('where an older copy was put back, what is appended to it comes next', () => {
  const file = journal('one\ntwo\nthree\n');
  const tail = new JournalTail(file);
  expect([...tail.read()]).toHaveLength(3);
  truncateSync(file, 'one\n'.length);
  expect([...tail.read()]).toEqual([]);
  appendFileSync(file, 'another two\n');
  expect([...tail.read()]).toEqual(['another two']);
});
