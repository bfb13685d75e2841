import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/run/run.js';
import { findVisit } from '../../src/view/find-visit.js';
import { HistoryCache } from '../../src/view/history-cache.js';
import { readHistory } from '../../src/view/run-history.js';
import { stageDetail } from '../../src/view/stage-detail.js';
import { fc } from '../support/fast-check.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const looped = `digraph G {
  start [shape=Mdiamond] done [shape=Msquare] a [prompt="a"] b [prompt="b", max_visits=3]
  start -> a -> b -> a
  b -> done [condition="outcome=fail"]
}`;

/** A run that has visited `b` three times, its limit. */
async function finished(dot = looped) {
  const directory = path.join(temporaryDirectory(), 'run');
  await run(dot, { simulate: true, runDirectory: directory });
  const journal = path.join(directory, 'events.jsonl');
  return { directory, journal, lines: readFileSync(journal, 'utf8').split('\n').slice(0, -1) };
}

const names = [{ nodeId: 'a' }, { nodeId: 'b', visit: 2 }, { nodeId: 'b', visit: 9 }, { nodeId: 'gone' }];

describe('a cache of histories', () => {
  test('answers after any event as if the run were read for the first time', async () => {
    const { directory, journal, lines } = await finished();
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: lines.length }), { maxLength: 3 }), (ends) => {
        const cache = new HistoryCache();
        writeFileSync(journal, `${lines[0]}\n`);
        let written = 1;
        for (const end of [...ends.sort((one, other) => one - other), lines.length]) {
          if (end > written) appendFileSync(journal, `${lines.slice(written, end).join('\n')}\n`);
          written = Math.max(written, end);
          for (const name of names)
            expect(findVisit(directory, name, cache.read)).toEqual(findVisit(directory, name));
          for (const nodeId of ['a', 'b', 'gone'])
            expect(stageDetail(directory, nodeId, { visit: 1 }, cache.read)).toEqual(
              stageDetail(directory, nodeId, { visit: 1 }),
            );
        }
      }),
      { numRuns: 3 },
    );
  });

  test('reads another run in the same place anew', async () => {
    const cache = new HistoryCache();
    const [first, second] = [await finished(), await finished(looped.replaceAll(/\bb\b/g, 'c'))];
    const place = path.join(temporaryDirectory(), 'run');
    mkdirSync(path.dirname(place), { recursive: true });
    renameSync(first.directory, place);
    expect(findVisit(place, { nodeId: 'c' }, cache.read)).toContain('no stage "c"');
    renameSync(place, `${place}-before`);
    renameSync(second.directory, place);
    expect(findVisit(place, { nodeId: 'c' }, cache.read)).toMatchObject({ visit: 3 });
    expect(findVisit(place, { nodeId: 'b' }, cache.read)).toContain('no stage "b"');
  });

  test('forgets the oldest, and reads it again', async () => {
    const { directory } = await finished();
    const cache = new HistoryCache();
    const read = (nodeId: string) => cache.read(directory, { ...scope, nodeId });
    const first = read('a').pipeline;
    expect(read('a').pipeline).toBe(first);
    for (let stage = 0; stage < 40; stage += 1) read(`s${stage}`);
    expect(read('a').pipeline).not.toBe(first);
    expect(read('a').visits).toEqual(readHistory(directory, { ...scope, nodeId: 'a' }).visits);
  });
});

const scope = { rows: 9, details: 9, text: 0, warnings: 0 };
