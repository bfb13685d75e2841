import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/graph/json.js';
import { systemClock } from '../../../src/run/driver/clock.js';
import { acquireLock } from '../../../src/run-directory/lock.js';
import { fileOf, pipeline, resumePipeline, runOnDisk, testEach } from '../harness.js';
import { projectOf } from './children.js';

// Branches that visit the same node have a child each, and a run that failed continues with each of them for itself.

const kid = pipeline(
  'graph [inputs="name: string"]',
  'a [type=tool, tool_command="echo a-${inputs.name} >> ran"]',
  'b [type=tool, tool_command="echo b-${inputs.name} >> ran; test -e go-${inputs.name}"]',
  'start -> a -> b -> exit',
);
// One item fails only when the other one has come to its second stage, where it is stopped.
const stopping = pipeline(
  'graph [inputs="name: string"]',
  'a [type=tool, tool_command="echo a-${inputs.name} >> ran"]',
  'b [type=tool, timeout="60s", tool_command="touch at-${inputs.name}; test -e go-${inputs.name} || until test ${inputs.name} = n1 && test -e at-n2; do sleep 0.05; done; test -e go-${inputs.name}"]',
  'start -> a -> b -> exit',
);

const all = 'join_policy=quorum, join_quorum=1';
const ofItem = 'kid [type=pipeline, child="kid.dot", "params.name"="${context.x}"]';
const items = pipeline(
  'graph [inputs="l: list"]',
  `each [shape=component, foreach="\${inputs.l}", as=x, join=joined, ${all}]`,
  ofItem,
  'joined',
  'start -> each -> kid -> joined -> exit',
);

interface Row {
  readonly name: string;
  readonly main: string;
  readonly child?: string;
  readonly inputs: Readonly<Record<string, JsonValue>>;
  readonly names: readonly string[];
  /** The children that fail. */
  readonly failing: readonly string[];
}

const two = { l: ['n1', 'n2'] };
const names = ['n1', 'n2'];

const rows: readonly Row[] = [
  { name: 'the last item', main: items, inputs: two, names, failing: ['n2'] },
  { name: 'the first item', main: items, inputs: two, names, failing: ['n1'] },
  { name: 'every item', main: items, inputs: two, names, failing: names },
  {
    name: 'an item in the middle',
    main: items,
    inputs: { l: ['n1', 'n2', 'n3'] },
    names: [...names, 'n3'],
    failing: ['n2'],
  },
  {
    name: 'items of items',
    main: pipeline(
      'graph [inputs="l: list, m: list"]',
      `around [shape=component, foreach="\${inputs.l}", as=y, join=met, ${all}]`,
      `each [shape=component, foreach="\${inputs.m}", as=x, join=joined, ${all}]`,
      'kid [type=pipeline, child="kid.dot", "params.name"="${context.y}${context.x}"]',
      'joined',
      'met',
      'start -> around -> each -> kid -> joined -> met -> exit',
    ),
    inputs: { l: ['n', 'm'], m: ['1', '2'] },
    names: ['n1', 'n2', 'm1', 'm2'],
    failing: ['n2', 'm1'],
  },
  {
    name: 'branches that lead to the same node',
    main: pipeline(
      `both [shape=component, join=joined, ${all}]`,
      'p [type=tool, tool_command="printf n1"]',
      'q [type=tool, tool_command="printf n2"]',
      'kid [type=pipeline, child="kid.dot", "params.name"="${context.tool.output}"]',
      'joined',
      'start -> both',
      'both -> p -> kid',
      'both -> q -> kid',
      'kid -> joined -> exit',
    ),
    inputs: {},
    names,
    failing: ['n2'],
  },
  {
    name: 'an item that was stopped',
    main: items.replace(all, `${all}, error_policy=fail_fast`),
    child: stopping,
    inputs: two,
    names,
    failing: names,
  },
];

interface Failed {
  readonly project: string;
  readonly directory: string;
}

/** A run whose children have failed at `b`; the cause is gone. */
async function failed({ main, child = kid, inputs, names, failing }: Row): Promise<Failed> {
  const project = projectOf({ 'main.dot': main, 'kid.dot': child });
  const goOn = (name: string): void => writeFileSync(path.join(project, `go-${name}`), '');
  for (const name of names) if (!failing.includes(name)) goOn(name);
  const directory = path.join(project, 'run');
  const { result } = await runOnDisk(main, {
    ...{ workingDirectory: project, sourcePath: path.join(project, 'main.dot'), runDirectory: directory },
    ...{ inputs, clock: systemClock },
  });
  expect(result.status).toBe('fail');
  for (const name of failing) goOn(name);
  return { project, directory };
}

const callsOf = ({ project }: Failed): readonly string[] => fileOf(project, 'ran').trim().split('\n');
const begun = (names: readonly string[]): readonly string[] => names.map((name) => `a-${name}`).sort();

describe('66b: a child that failed or was stopped in a branch continues there', () => {
  testEach(rows, async (row) => {
    const run = await failed(row);
    const { result } = await resumePipeline(run.directory, { clock: systemClock });
    expect(result.status, result.failure_reason).toBe('success');
    expect(
      callsOf(run)
        .filter((call) => call.startsWith('a-'))
        .toSorted(),
    ).toEqual(begun(row.names));
  });

  test('also when it fails once more', async () => {
    const run = await failed({ name: '', main: items, inputs: two, names, failing: names });
    for (const fails of [true, false]) {
      if (fails) rmSync(path.join(run.project, 'go-n1'));
      else writeFileSync(path.join(run.project, 'go-n1'), '');
      const { result } = await resumePipeline(run.directory, { clock: systemClock });
      expect(result.status).toBe(fails ? 'fail' : 'success');
    }
    expect(callsOf(run).toSorted()).toEqual(['a-n1', 'a-n2', 'b-n1', 'b-n1', 'b-n1', 'b-n2', 'b-n2']);
  });

  test('also when the run that continues is cut off at any event', async () => {
    const run = await failed({ name: '', main: items, inputs: two, names, failing: names });
    const moments: string[] = [];
    const keep = (): void => {
      const copy = path.join(run.project, `moment-${moments.length}`);
      cpSync(run.directory, copy, { recursive: true });
      for (const lock of locksIn(copy)) rmSync(lock);
      moments.push(copy);
    };
    await resumePipeline(run.directory, { clock: systemClock, onEvent: keep, onChildEvent: keep });
    expect(moments.length).toBeGreaterThan(10);
    writeFileSync(path.join(run.project, 'ran'), '');
    for (const [moment, directory] of moments.entries()) {
      const { result } = await resumePipeline(directory, { clock: systemClock });
      expect(result.status, `moment ${moment}: ${result.failure_reason}`).toBe('success');
    }
    expect(callsOf(run).filter((call) => call.startsWith('a-'))).toEqual([]);
  });
});

describe('66: a child of a branch is looked at before the run continues', () => {
  const places = ['kid/branch-1/child', 'kid/branch-2/child'];
  testEach(
    places.map((name) => ({ name })),
    async ({ name: place }) => {
      const { directory } = await failed({ name: '', main: items, inputs: two, names, failing: names });
      const lock = acquireLock(path.join(directory, place, 'lock'));
      const resumed = () => resumePipeline(directory, { clock: systemClock });
      await expect(resumed()).rejects.toMatchObject({ code: 'run_locked' });
      lock.release();
      rmSync(path.join(directory, place), { recursive: true });
      await expect(resumed()).rejects.toMatchObject({ code: 'run_damaged' });
      expect(existsSync(path.join(directory, 'kid/branch-1/visit-1'))).toBe(false);
    },
  );
});

function locksIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((entry) => path.basename(entry).startsWith('lock'))
    .map((entry) => path.join(directory, entry));
}
