import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/run/run.js';
import { GrowingView } from '../../src/view/growing-view.js';
import { readView } from '../../src/view/read-view.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const dot = `digraph G {
  start [shape=Mdiamond] done [shape=Msquare] a [prompt="a"] b [prompt="b"]
  start -> a -> b -> done
}`;

/** A run that is over, and the lines of its journal. */
async function finished() {
  const directory = path.join(temporaryDirectory(), 'run');
  await run(dot, { simulate: true, runDirectory: directory });
  const file = path.join(directory, 'events.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return { directory, file, lines };
}

describe('§9.6 a view that grows with its journal', () => {
  test('is after every line what a view of the whole is, a torn line left out', async () => {
    const { directory, file, lines } = await finished();
    writeFileSync(file, '');
    const growing = new GrowingView(directory);
    for (const line of lines) {
      appendFileSync(file, line.slice(0, 10));
      growing.read();
      appendFileSync(file, `${line.slice(10)}\n`);
      expect(growing.read()).toEqual(readView(directory));
    }
    expect(growing.read().status).toBe('success');
  });

  test('starts over where an older or another journal is put in its place', async () => {
    const { directory, file, lines } = await finished();
    const growing = new GrowingView(directory);
    expect(growing.read().status).toBe('success');
    writeFileSync(file, `${lines.slice(0, 3).join('\n')}\n`);
    expect(growing.read().seq).toBe(3);
    writeFileSync(`${file}.new`, `${lines.join('\n')}\n`);
    renameSync(`${file}.new`, file);
    expect(growing.read()).toEqual(readView(directory));
  });

  test('says what is damaged each time, and reads on once that is mended', async () => {
    const { directory, file, lines } = await finished();
    const growing = new GrowingView(directory);
    writeFileSync(file, `${lines[0]}\nnothing\n`);
    for (let look = 0; look < 2; look += 1) expect(() => growing.read()).toThrow(/damaged in line 2/);
    writeFileSync(file, `${lines.join('\n')}\n`);
    expect(growing.read().status).toBe('success');
  });
});
