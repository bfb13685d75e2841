import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunHistory } from '../../src/cluster/run-history.js';
import { journalText, readJournal } from '../../src/journal/journal.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import type { RunOptions } from '../../src/run/run.js';
import { appendText } from '../../src/run-directory/durable-file.js';
import { cacheFileSystem } from '../../src/run-directory/file-system.js';
import { acquireLease, takeLease } from '../../src/run-directory/lock.js';
import { pipeline } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { submitted, type TestCluster, WorkerDied } from './harness.js';

const line = pipeline('a', 'b', 'c', 'start -> a -> b -> c -> exit');
const parent = pipeline('sub [type=pipeline, child="child.dot"]', 'start -> sub -> exit');

function died(error: unknown): void {
  if (!(error instanceof WorkerDied)) throw error;
}

/** Stages that work, and do something else the first time. */
function handlersThat(act: (nodeId: string) => void = () => undefined): HandlerRegistry {
  const acted = new Set<string>();
  return new HandlerRegistry().register('codergen', {
    execute: async ({ node }) => {
      if (!acted.has(node.id)) act(node.id);
      acted.add(node.id);
      return { status: 'success' };
    },
  });
}

/** Work that waits until it is let go on. */
function halt() {
  let goOn: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  return { goOn, wait: () => gone };
}

/** Lets everything happen that waits for nothing outside. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A run of which one step is recorded, and a place for its directory. */
async function begun(dot = line, options: RunOptions = { handlers: handlersThat() }) {
  const home = temporaryDirectory();
  writeFileSync(path.join(home, 'child.dot'), line);
  const cluster = await submitted(dot, { workingDirectory: home, ...options }, home);
  await cluster.work({ mostSteps: dot === parent ? 3 : 1 }).catch(died);
  return { cluster, directory: path.join(home, 'run') };
}

function expectWhole({ engine }: TestCluster, { view, children }: RunHistory): void {
  expect(view.status).toBe('success');
  const ofRun = engine.events;
  expect(ofRun.map(({ seq }) => seq)).toEqual(ofRun.map((_event, index) => index + 1));
  for (const [place, child] of children) {
    const events = engine.batches.flatMap(({ records }) =>
      records.flatMap((record) => (record.place === place ? record.events : [])),
    );
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(child.view.status).toBe('success');
  }
}

/** Appends an event as another worker does, with the hash that belongs there. */
function appendEvent(file: string): void {
  const { events, end } = readJournal(file);
  const [first] = events;
  if (first === undefined) throw new Error(`${file} is empty`);
  const { run_id: runId, timestamp } = first;
  const { text } = journalText(
    [
      {
        seq: events.length + 1,
        timestamp,
        run_id: runId,
        type: 'LogAppended',
        level: 'info',
        message: 'of another worker',
        description: 'of another worker',
      },
    ],
    end.hash,
  );
  appendText(file, text);
}

function removeLine(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [...lines.slice(0, 1), ...lines.slice(2)].join('\n'));
}

function replace(file: string): void {
  cpSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
}

describe('workers with the same directory for a run', () => {
  test('do not continue from what one of them wrote that had lost the run', async () => {
    const { cluster, directory } = await begun();
    const [first, second] = [halt(), halt()];
    const late = cluster.work({ directory, onPrepare: first.wait }).catch(died);
    await settle();
    cluster.engine.die();
    const next = cluster.work({ directory, onPrepare: second.wait });
    await settle();
    first.goOn();
    await late;
    await settle();
    second.goOn();
    expectWhole(cluster, await next);
  });

  test('take it from one that does not notice, once the database says that they have the run', async () => {
    const { cluster, directory } = await begun();
    const halted = halt();
    const frozen = cluster.work({ directory, onPrepare: halted.wait }).catch(died);
    await settle();
    cluster.engine.die();
    const { length } = cluster.engine.batches;
    expectWhole(cluster, await cluster.work({ directory, leaseMs: 0 }));
    expect(cluster.engine.batches[length]).toEqual({ records: [] });
    halted.goOn();
    await frozen;
  });

  test('leave it to the one that has the run', async () => {
    const { cluster, directory } = await begun();
    const lock = path.join(directory, 'lock');
    mkdirSync(directory);
    const lease = acquireLease(lock, cacheFileSystem);
    await cluster.work({ directory, leaseMs: 0, mostSteps: 0 }).catch(died);
    expect(() => lease.check()).not.toThrow();
    lease.release();
  });
});

describe('the directory of a run that something else has written to', () => {
  const ofRun = 'events.jsonl';
  const ofChild = 'sub/child/events.jsonl';
  const spoilt: readonly (readonly [name: string, dot: string, spoil: (directory: string) => void])[] = [
    ['an event more', line, (directory) => appendEvent(path.join(directory, ofRun))],
    ['a part of an event', line, (directory) => appendText(path.join(directory, ofRun), '{"seq":')],
    ['no journal', line, (directory) => rmSync(path.join(directory, ofRun))],
    ['a gap', line, (directory) => removeLine(path.join(directory, ofRun))],
    ['another pipeline', line, (directory) => writeFileSync(path.join(directory, 'pipeline.dot'), parent)],
    ['an event more of a child', parent, (directory) => appendEvent(path.join(directory, ofChild))],
    ['a gap in a child', parent, (directory) => removeLine(path.join(directory, ofChild))],
  ];

  test.each(spoilt)('is made again before the run is driven: %s', async (_name, dot, spoil) => {
    const { cluster, directory } = await begun(dot);
    const problems: string[] = [];
    let isSpoilt = false;
    const onPrepare = async (): Promise<void> => {
      if (!isSpoilt) spoil(directory);
      isSpoilt = true;
    };
    const onProblem = (problem: string): void => void problems.push(problem);
    expectWhole(cluster, await cluster.work({ directory, onPrepare, onProblem }));
    expect(problems).toEqual([expect.stringMatching(/^its directory is made again: /)]);
  });

  const spoiltLater: readonly (readonly [name: string, spoil: (directory: string) => void])[] = [
    ['an event more', (directory) => appendEvent(path.join(directory, ofRun))],
    ['another file in the place of the journal', (directory) => replace(path.join(directory, ofRun))],
    ['nothing', (directory) => rmSync(directory, { recursive: true })],
    ['the lock of another process', (directory) => takeLease(path.join(directory, 'lock'), cacheFileSystem)],
  ];

  test.each(spoiltLater)('is made again while the run is driven: %s', async (_name, spoil) => {
    const handlers = handlersThat((nodeId) => nodeId === 'b' && spoil(directory));
    const { cluster, directory } = await begun(line, { handlers });
    const problems: string[] = [];
    const onProblem = (problem: string): void => void problems.push(problem);
    expectWhole(cluster, await cluster.work({ directory, leaseMs: 0, onProblem }));
    expect(problems).toEqual([expect.stringMatching(/^its directory is made again: /)]);
  });

  test('waits for a person if that happens again and again', async () => {
    const { cluster, directory } = await begun();
    const problems: string[] = [];
    let isSpoilt = true;
    const work = cluster.work({
      directory,
      onPrepare: async () => {
        if (isSpoilt) appendEvent(path.join(directory, ofRun));
      },
      onProblem: (problem) => void problems.push(problem),
    });
    const problemOf = (): string | undefined => cluster.engine.batches.at(-1)?.problem;
    while (problemOf() === undefined) await new Promise((resolve) => setImmediate(resolve));
    expect(problemOf()).toContain('something else has written to it');
    expect(problems).toHaveLength(4);
    isSpoilt = false;
    cluster.engine.send({ kind: 'resume', id: 'r' });
    expectWhole(cluster, await work);
  });
});
