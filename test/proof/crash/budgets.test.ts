import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readJournal } from '../../../src/journal/journal.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { addUsage, noUsage, tokensOf, type Usage } from '../../../src/machine/usage.js';
import { jsonOf, type PipelineRun, pipeline, resumePipeline, runOnDisk } from '../../run/harness.js';
import { spendingBackend } from '../../run/spending-backend.js';
import { faultyFileSystem } from '../../support/faulty-file-system.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { journalsIn } from './places.js';
import { lineEnds, makeCut, momentRecorder } from './recorded-moments.js';
import { tell } from './tell.js';

const limit = 450;

/** The budget is used up in the middle of the child; it is raised then. */
const main = pipeline(
  `graph [budget_tokens=${limit}]`,
  'sub [type=pipeline, child="child.dot"]',
  'fan [shape=component]',
  'join [shape=tripleoctagon, prompt=""]',
  'start -> first -> sub -> fan',
  'fan -> x -> join',
  'fan -> y -> join',
  'join -> last -> exit',
);
const child = pipeline('start -> work -> more -> exit');
const requests = { work: [{}, {}], more: [{}, {}, {}], x: [{}, {}] };
const unlimited = 1_000_000;

describe('a run that its budget stops, cut off anywhere', () => {
  test('after every line of its journals, it spends no more than it may, counts all once, and comes to the same end', {
    timeout: 300_000,
  }, async (context) => {
    const home = temporaryDirectory();
    writeFileSync(path.join(home, 'child.dot'), child);
    const runDirectory = path.join(home, 'run');
    const recorder = momentRecorder(runDirectory, path.join(home, 'moments'));
    const setup = { sourcePath: path.join(home, 'main.dot'), workingDirectory: home, fileSystem: recorder };
    const begun = await runOnDisk(main, { ...setup, runDirectory, backend: spendingBackend(requests) });
    expect([begun.result.status, begun.result.usage.requests]).toEqual(['paused', 5]);
    const backend = spendingBackend(requests);
    const whole = await resumePipeline(runDirectory, {
      fileSystem: recorder,
      backend,
      budgetTokens: unlimited,
    });
    expect(whole.result.status).toBe('success');
    let cuts = 0;
    for (const moment of recorder.moments) {
      for (const size of lineEnds(moment)) {
        cuts += 1;
        // With files of the end, the child would have spent what its run has not come to yet.
        const others = cuts % 2 === 0 ? 'as they were' : 'as they were, without views';
        const image = path.join(home, 'cut');
        try {
          if (makeCut({ moment, size, others }, runDirectory, image))
            await expectSameEnd(image, whole, `${moment.journal} cut at ${size}, other files ${others}`);
        } finally {
          rmSync(image, { recursive: true, force: true });
        }
      }
    }
    expect(cuts).toBeGreaterThan(60);
    tell(context, { cuts });
  });
});

async function expectSameEnd(image: string, whole: PipelineRun, name: string): Promise<void> {
  const before = spentIn(image);
  const finished = finishedIn(image);
  const isRaised = eventsIn(image).some((event) => event.type === 'PipelineResumed' && event.budget_tokens);
  const first = spendingBackend(requests);
  const second = spendingBackend(requests);
  const fileSystem = faultyFileSystem();
  let run = await resumePipeline(image, { backend: first, fileSystem });
  if (!isRaised) {
    const overdrawn = first.usedBefore.filter((used) => tokensOf(before) + used >= limit);
    expect.soft(overdrawn, `${name}: requests beyond the budget`).toEqual([]);
  }
  if (run.result.status === 'paused')
    run = await resumePipeline(image, { backend: second, fileSystem, budgetTokens: unlimited });
  const { status, visits, usage, usage_by_stage } = run.result;
  expect.soft([status, visits], name).toEqual(['success', whole.result.visits]);
  const again = [...first.begun, ...second.begun].filter((id) => finished.has(id));
  expect.soft(again, `${name}: done again`).toEqual([]);
  const total = before.requests + first.begun.length + second.begun.length;
  expect.soft(usage.requests, `${name}: requests`).toBe(total);
  expect.soft(spentIn(image), `${name}: the journals`).toEqual(usage);
  const ofChild = jsonOf(image, 'sub/child/result.json').usage;
  expect.soft(ofChild, `${name}: of the child`).toEqual(usage_by_stage.sub);
}

/** What the run and its child have used, each request once, as their journals tell it. */
function spentIn(image: string): Usage {
  return journalsIn(image)
    .flatMap((name) => readJournal(path.join(image, name)).events)
    .reduce(
      (sum, event) =>
        event.type === 'ModelUsed' && event.child_run === undefined ? addUsage(sum, event.usage) : sum,
      noUsage,
    );
}

function finishedIn(image: string): ReadonlySet<string> {
  const events = journalsIn(image).flatMap((name) => readJournal(path.join(image, name)).events);
  return new Set(events.flatMap((event) => (event.type === 'StageCompleted' ? [event.node_id] : [])));
}

function eventsIn(image: string): readonly RunEvent[] {
  const text = readFileSync(path.join(image, 'events.jsonl'), 'utf8');
  return text === '' ? [] : readJournal(path.join(image, 'events.jsonl')).events;
}
