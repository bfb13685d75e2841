import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { comparedRun } from '../../../src/run/recording/compared-run.js';
import { journalDifference } from '../../../src/run/recording/journal-difference.js';
import { withoutPlaces } from '../../../src/run/recording/run-places.js';
import { unifiedDiff } from '../../../src/run/recording/unified-diff.js';
import { testEach } from '../harness.js';
import { recordScenario } from './play.js';
import { scenarios } from './scenarios.js';

let events: readonly RunEvent[] = [];
const places = { runDirectories: ['/runs/one'], workingDirectories: ['/work'] };

beforeEach(async () => {
  const scenario = scenarios.find(({ name }) => name.startsWith('branches whose models'));
  if (scenario === undefined) throw new Error('there is no such scenario');
  const { directory } = await recordScenario(scenario);
  events = comparedRun(directory).events;
});

/** What was done to a journal, and whether it is another one then. */
const rows: readonly {
  readonly name: string;
  readonly change: (events: readonly RunEvent[]) => readonly RunEvent[];
  readonly first?: RunEvent['type'];
}[] = [
  { name: 'nothing', change: (all) => all },
  {
    name: 'other times, numbers and ids',
    change: (all) =>
      all.map((event, index) => ({
        ...event,
        seq: index + 7,
        timestamp: 'later',
        run_id: 'other',
        description: '',
      })),
  },
  {
    name: 'a pause, and somebody who continues',
    change: (all) => [
      ...all.slice(0, 4),
      { ...header, type: 'PipelinePausing', reason: 'x' },
      { ...header, type: 'PipelinePaused', reason: 'x' },
      { ...header, type: 'PipelineResumed', from: 'paused' },
      ...all.slice(4),
    ],
  },
  {
    name: 'an attempt that was cut off while it talked, and made again',
    change: (all) => {
      const at = all.findIndex(({ type }) => type === 'StageOutput');
      const talk = all[at];
      const start = all.findIndex(
        (event) =>
          event.type === 'StageStarted' && talk?.type === 'StageOutput' && event.index === talk.index,
      );
      const again = { ...all[start], resumed: true } as RunEvent;
      return [...all.slice(0, at), { ...talk, text: 'half of a ' } as RunEvent, again, ...all.slice(at)];
    },
  },
  {
    name: 'a stage less',
    change: (all) => all.filter((event) => !('node_id' in event) || event.node_id !== 'z'),
    first: 'StageStarted',
  },
  {
    name: 'another outcome',
    change: (all) => changed(all, 'StageCompleted', { outcome: { status: 'skipped' } }),
    first: 'StageCompleted',
  },
  {
    name: 'an outcome with times of branches',
    change: (all) =>
      changed(all, 'StageCompleted', {
        outcome: { status: 'success', context_updates: { results: [{ duration_ms: 12 }] } },
      }),
    first: 'StageCompleted',
  },
  { name: 'another edge', change: (all) => changed(all, 'EdgeSelected', { to: 'y' }), first: 'EdgeSelected' },
  {
    name: 'another text',
    change: (all) => changed(all, 'StageOutput', { text: 'No.' }),
    first: 'StageOutput',
  },
  {
    name: 'another use of a model',
    change: (all) => changed(all, 'ModelUsed', { model: 'm-2' }),
    first: 'ModelUsed',
  },
  {
    name: 'branches that settle in another order',
    change: (all) => {
      const settled = all.filter((event) => event.type === 'StageCompleted' && 'branch' in event);
      const [one, other] = settled as [BranchEvent, BranchEvent];
      const isLate = (event: RunEvent) =>
        'branch' in event && event.branch === one.branch && event.seq >= one.seq && event.seq < other.seq;
      // Each branch goes its own way as before; the earlier one only comes to its outcome after the other.
      const [before, after] = [all.slice(0, all.indexOf(other) + 1), all.slice(all.indexOf(other) + 1)];
      return [...before.filter((event) => !isLate(event)), ...before.filter(isLate), ...after];
    },
    first: 'StageCompleted',
  },
  { name: 'no end', change: (all) => all.slice(0, -1), first: 'PipelineCompleted' },
];

type BranchEvent = RunEvent & { readonly branch: string };

const header = { seq: 0, timestamp: '', run_id: '', description: '' };

function changed(all: readonly RunEvent[], type: RunEvent['type'], fields: object): readonly RunEvent[] {
  const at = all.findLastIndex((event) => event.type === type);
  return all.map((event, index) => (index === at ? ({ ...event, ...fields } as RunEvent) : event));
}

describe('a journal is another one for', () => {
  testEach(rows, ({ change, first }) => {
    const found = journalDifference({ events, places }, { events: change(events), places });
    expect(found?.recorded?.type).toBe(first);
    expect(found === undefined || found.diff !== '').toBe(true);
  });
});

test('places and ids of runs make no difference to a text', () => {
  const plain = withoutPlaces(places);
  expect(plain('see /runs/one/a/out.txt and /work/src of 20260131-120000-My_graph-abc234.')).toBe(
    'see <run directory>/a/out.txt and <working directory>/src of <run id>.',
  );
  expect(plain('20260131-120000 is not an id')).toBe('20260131-120000 is not an id');
});

describe('a diff shows', () => {
  const long = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const cases = [
    {
      name: 'a changed line with what is around it',
      before: 'a\nb\nc\nd\ne\nf',
      after: 'a\nb\nc\nX\ne\nf',
      shows: ' b\n c\n-d\n+X\n e\n f',
    },
    { name: 'what was added and what was removed', before: 'a\nb', after: 'b\nc', shows: '-a\n b\n+c' },
    {
      name: 'two changes far from each other',
      before: long.join('\n'),
      after: long.with(3, 'x').with(20, 'y').join('\n'),
      shows:
        ' line 1\n line 2\n-line 3\n+x\n line 4\n line 5\n…\n line 18\n line 19\n-line 20\n+y\n line 21\n line 22',
    },
    {
      name: 'what is too different as replaced, between what is the same',
      before: `same\n${'old\n'.repeat(2000)}end`,
      after: `same\n${'new\n'.repeat(2)}end`,
      shows: ` same\n${'-old\n'.repeat(39)}… and more`,
    },
    { name: 'nothing where there is nothing', before: 'a', after: 'a', shows: '' },
    {
      name: 'as much of it as a person reads',
      before: '',
      after: 'new\n'.repeat(500),
      shows: `${'+new\n'.repeat(40)}… and more`,
    },
  ];
  testEach(cases, ({ before, after, shows }) => expect(unifiedDiff(before, after)).toBe(shows));
});

test('a run that was moved is compared by where it was', async () => {
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error('there are scenarios');
  const { directory, home } = await recordScenario(scenario);
  const file = path.join(directory, 'recording.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(home, '/elsewhere'));
  expect(comparedRun(directory).places.runDirectories).toContain('/elsewhere/run');
});

test('a warning of a stage is a difference, but for one about files in git, which a replay does not use', () => {
  const warning: RunEvent = {
    ...{ seq: 0, timestamp: '2026-01-01T00:00:00.000Z', run_id: 'one', description: '' },
    ...{ type: 'LogAppended', level: 'warning', message: 'beware', node_id: 'x' },
  };
  const differenceWith = (event: RunEvent) =>
    journalDifference({ events: [event, ...events], places }, { events, places });
  expect(differenceWith(warning)?.recorded).toEqual(warning);
  expect(differenceWith({ ...warning, about_files: true })).toBeUndefined();
});
