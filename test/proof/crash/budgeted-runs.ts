import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { readJournal } from '../../../src/journal/journal.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { addUsage, noUsage, tokensOf, type Usage } from '../../../src/machine/usage.js';
import { jsonOf, type PipelineRun, resumePipeline, runOnDisk } from '../../run/harness.js';
import { type Request, spendingBackend } from '../../run/spending-backend.js';
import { faultyFileSystem } from '../../support/faulty-file-system.js';
import type { CrashPipeline } from './pipelines.js';
import { journalsIn } from './places.js';
import { lineEnds, makeCut, momentRecorder } from './recorded-moments.js';

/** What a run may use of models until it pauses, and what its stages ask of them. */
export interface Budget {
  /** In tokens; the pipeline has it too. It is used up in the middle of a child, and raised then. */
  readonly limit: number;
  readonly requests: Readonly<Record<string, readonly Request[]>>;
  /** Of all requests until it pauses. */
  readonly requestsUntilPause: number;
}

const unlimited = 1_000_000;

/**
 * Cuts a run off that its budget stops, after every line of its journals: it spends no more than it may, counts all once, and
 * comes to the same end.
 * @returns how many times it was cut off
 */
export async function cutBudgetedRun(
  { dot, files = {}, path: nodes }: CrashPipeline,
  budget: Budget,
  home: string,
): Promise<number> {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(home, name), text);
  const { requests, requestsUntilPause } = budget;
  const runDirectory = path.join(home, 'run');
  const recorder = momentRecorder(runDirectory, path.join(home, 'moments'));
  const setup = { sourcePath: path.join(home, 'main.dot'), workingDirectory: home, fileSystem: recorder };
  const begun = await runOnDisk(dot, { ...setup, runDirectory, backend: spendingBackend(requests) });
  expect([begun.result.status, begun.result.usage.requests]).toEqual(['paused', requestsUntilPause]);
  const backend = spendingBackend(requests);
  const whole = await resumePipeline(runDirectory, {
    fileSystem: recorder,
    backend,
    budgetTokens: unlimited,
  });
  const walked = whole.result.path.filter((id) => id !== 'start' && id !== 'exit');
  expect([whole.result.status, walked.join(' ')]).toEqual(['success', nodes]);
  let cuts = 0;
  for (const moment of recorder.moments) {
    for (const size of lineEnds(moment)) {
      cuts += 1;
      // With files of the end, the child would have spent what its run has not come to yet.
      const others = cuts % 2 === 0 ? 'as they were' : 'as they were, without views';
      const image = path.join(home, 'cut');
      try {
        if (makeCut({ moment, size, others }, runDirectory, image))
          await expectSameEnd(
            budget,
            image,
            whole,
            `${moment.journal} cut at ${size}, other files ${others}`,
          );
      } finally {
        rmSync(image, { recursive: true, force: true });
      }
    }
  }
  return cuts;
}

async function expectSameEnd(
  { requests, limit }: Budget,
  image: string,
  whole: PipelineRun,
  name: string,
): Promise<void> {
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
