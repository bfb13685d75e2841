import { expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import type { JsonValue } from '../../../src/graph/json.js';
import type { Handler } from '../../../src/handlers/handler.js';
import { parallelHandler } from '../../../src/handlers/parallel.js';
import { initialState, mainCursor } from '../../../src/machine/state.js';
import { Driver } from '../../../src/run/driver/driver.js';
import { absentInterviewer } from '../../../src/run/questions/interviewer.js';
import { memoryStore } from '../../../src/run/simulate/memory-store.js';
import { ArtifactStore } from '../../../src/run-directory/artifact-store.js';
import type { RunStore } from '../../../src/run-directory/run-store.js';

// A run of n stages costs O(n) (DESIGN §1.5), told by what it writes, so that no busy machine changes the verdict. Here the
// clock moves by what a stage takes and by what writing takes, as on a real disk, so that checkpoints are due by time too.

const stageMs = 0.5;
const flushMs = 1;
const bytesPerMs = 50_000;

interface Cost {
  events: number;
  journalBytes: number;
  checkpoints: number;
  checkpointBytes: number;
  flushes: number;
  stageFiles: number;
  /** Files that were made durable because a stage is read by its name. */
  syncs: number;
  /** Stages that are remembered by their names in the end. */
  remembered: number;
  stageBytes: number;
}

test('ten times the stages write at most twelve times as much', async () => {
  const few = await costOf(500);
  const many = await costOf(5000);
  expect(many.events).toBeLessThanOrEqual(10 * few.events);
  for (const measure of ['journalBytes', 'flushes', 'stageFiles'] as const) {
    expect.soft(many[measure], measure).toBeLessThanOrEqual(12 * few[measure]);
  }
  // How often one is written hangs on the time that it takes; never so often that it outweighs the journal.
  expect(many.checkpointBytes).toBeLessThanOrEqual(3 * many.journalBytes);
  // A checkpoint holds the whole run, so that there must be ever fewer of them for a stage.
  expect(many.checkpoints).toBeLessThanOrEqual(2 * few.checkpoints);
});

test('104: what stages said is remembered for those that are read by name, once a step', async () => {
  const plain = await costOf(500);
  expect(plain).toMatchObject({ syncs: 0, remembered: 0 });
  const few = await costOf(250, { dot: readingPipeline(250), steps: 250 });
  const many = await costOf(2500, { dot: readingPipeline(2500), steps: 2500 });
  expect([few.remembered, many.remembered]).toEqual([250, 2500]);
  expect(many.events).toBeLessThanOrEqual(10 * few.events);
  expect(many.journalBytes).toBeLessThanOrEqual(12 * few.journalBytes);
  expect(many.syncs).toBeLessThanOrEqual(10 * few.syncs);
});

test.each([1, 64])(
  '106: ten times the items of a list, %i at once, write at most twelve times as much',
  async (atOnce) => {
    const few = await costOf(200, list(200, atOnce));
    const many = await costOf(2000, list(2000, atOnce));
    for (const measure of ['events', 'journalBytes', 'flushes', 'stageFiles', 'stageBytes'] as const) {
      expect.soft(few[measure], measure).toBeGreaterThan(0);
      expect.soft(many[measure], measure).toBeLessThanOrEqual(12 * few[measure]);
    }
    expect(many.checkpointBytes).toBeLessThanOrEqual(3 * many.journalBytes);
  },
);

/** What a run is made of, and how many steps its main line has. */
interface Work {
  readonly dot: string;
  readonly inputs?: Readonly<Record<string, JsonValue>>;
  readonly steps: number;
}

function list(items: number, atOnce: number): Work {
  const each = `each [shape=component, foreach="\${inputs.files}", as=file, join=merge, max_parallel=${atOnce}]`;
  return {
    dot: `digraph list { start [shape=Mdiamond]; done [shape=Msquare]; node [prompt="Do it"]; ${each}; a; b; merge [shape=tripleoctagon, prompt=""]; last; start -> each -> a -> b -> merge -> last -> done }`,
    inputs: { files: Array.from({ length: items }, (_, index) => `src/file-${index}.ts`) },
    steps: 3,
  };
}

async function costOf(
  stages: number,
  { dot, inputs = {}, steps }: Work = { dot: pipeline(stages), steps: stages },
): Promise<Cost> {
  const { program } = compile(dot);
  if (program === undefined) throw new Error('the pipeline does not compile');
  const cost: Cost = {
    events: 0,
    journalBytes: 0,
    checkpoints: 0,
    checkpointBytes: 0,
    flushes: 0,
    stageFiles: 0,
    syncs: 0,
    remembered: 0,
    stageBytes: 0,
  };
  let now = Date.UTC(2026, 0, 1);
  const handler: Handler = {
    execute() {
      now += stageMs;
      return { status: 'success', context_updates: { last_stage: 'one of many' } };
    },
  };
  const driver = new Driver(program, initialState, {
    store: countingStore(cost, (milliseconds) => {
      now += milliseconds;
    }),
    clock: { now: () => Math.floor(now), random: () => 0.5, sleep: () => Promise.resolve() },
    interviewer: absentInterviewer,
    handlerOf: ({ handler: { forks } }) => (forks ? parallelHandler : handler),
    onEvent: undefined,
    artifacts: new ArtifactStore({ now: () => 0 }),
    history: undefined,
    settings: {},
    sharesFlushes: false,
    workingDirectory: '.',
    graphHash: '',
  });
  const state = await driver.run({
    kind: 'start',
    runId: 'run',
    graphHash: '',
    inputs,
    maxSteps: 20_000,
  });
  expect(state.status).toBe('success');
  const main = state.cursors.get(mainCursor);
  expect(main?.steps).toBe(steps);
  return { ...cost, remembered: [...(main?.stages ?? [])].length };
}

function pipeline(stages: number): string {
  const ids = Array.from({ length: stages }, (_, index) => `s${index + 1}`);
  const chain = ['start', ...ids, 'done'].join(' -> ');
  return `digraph linear { start [shape=Mdiamond]; done [shape=Msquare]; node [prompt="Do it"]; ${ids.join('; ')}; ${chain} }`;
}

/** Every edge reads the stage before it. */
function readingPipeline(stages: number): string {
  const ids = Array.from({ length: stages }, (_, index) => `s${index + 1}`);
  const edges = ids.map((id, index) => {
    const to = ids[index + 1] ?? 'done';
    return `${id} -> ${to} [condition="stages.${id}.visits < 7"]; ${id} -> ${to}`;
  });
  return `digraph linear { start [shape=Mdiamond]; done [shape=Msquare]; node [prompt="Do it"]; ${ids.join('; ')}; start -> s1; ${edges.join('; ')} }`;
}

/** Keeps nothing, and counts everything. */
function countingStore(cost: Cost, spend: (milliseconds: number) => void): RunStore {
  const store = memoryStore();
  return {
    ...store,
    journal: {
      get size() {
        return cost.journalBytes;
      },
      append(events) {
        cost.events += events.length;
        for (const event of events) cost.journalBytes += JSON.stringify(event).length + 1;
      },
      appendDurably(events) {
        this.append(events);
        this.sync();
      },
      syncSoon() {
        this.sync();
        return Promise.resolve();
      },
      sync() {
        cost.flushes += 1;
        spend(flushMs);
      },
    },
    stages: {
      ...store.stages,
      sync() {
        cost.syncs += 1;
      },
      write(_stage, _name, text) {
        cost.stageFiles += 1;
        cost.stageBytes += text.length;
      },
    },
    statuses: {
      ...store.statuses,
      write() {
        cost.stageFiles += 1;
      },
    },
    writeCheckpoint(checkpoint) {
      const size = JSON.stringify(checkpoint, null, 2).length;
      cost.checkpoints += 1;
      cost.checkpointBytes += size;
      spend(2 * flushMs + size / bytesPerMs);
      return size;
    },
  };
}
