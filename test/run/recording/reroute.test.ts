import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/machine/outcome.js';
import { reroute } from '../../../src/run/recording/reroute.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { pipeline, programOf, runOnDisk, testEach } from '../harness.js';

interface Case {
  readonly name: string;
  readonly dot: string;
  /** By attempt, `node#visit.attempt`; all others succeed. */
  readonly outcomes?: Readonly<Record<string, Outcome>>;
  /** Milliseconds that a node takes. */
  readonly takes?: Readonly<Record<string, number>>;
  readonly answers?: Readonly<Record<string, string | readonly string[]>>;
  readonly edited: string;
  /** The way through the edited pipeline, without start and exit. */
  readonly path: string;
  readonly differsAt?: string;
  readonly endsOtherwise?: boolean;
  readonly unknown?: string;
}

const fail: Outcome = { status: 'fail', failure_reason: 'red' };
const work = 'node [type=work]';

/** Branches that share the stage `w`, which goes to `z` after a partial success. */
const shared = [
  'f [shape=component, type=parallel]; two; w; z; m [shape=tripleoctagon, type="parallel.fan_in", prompt=""]',
  'start -> f; m -> exit; z -> m',
  'w -> m [condition="outcome=success"]; w -> z [condition="outcome=partial_success"]',
];

/** An old run, an edited pipeline, and how that routes what the run came to. */
const cases: readonly Case[] = [
  {
    name: 'the same pipeline: the same way, with retries, jumps and a restart',
    dot: pipeline(
      work,
      'a [max_retries=1]',
      'b [retry_target=a]',
      'c',
      'start -> a -> b -> c',
      'c -> a [loop_restart=true, condition="context.more=true"]; c -> exit [condition="context.more!=true"]',
    ),
    outcomes: {
      'a#1.1': { status: 'retry' },
      'b#1.1': fail,
      'c#1.1': { status: 'success', context_updates: { more: true } },
    },
    edited: '',
    path: 'a b a b c a b c',
  },
  {
    name: 'another condition: another way, over a stage that there was before',
    dot: pipeline(work, 'a; b; c', 'start -> a; a -> b -> c -> exit; a -> c [condition="context.score>5"]'),
    outcomes: { 'a#1.1': { status: 'success', context_updates: { score: 4 } } },
    edited: pipeline(
      work,
      'a; b; c',
      'start -> a; a -> b -> c -> exit; a -> c [condition="context.score>3"]',
    ),
    path: 'a c',
    differsAt: 'c',
  },
  {
    name: 'a stage that was not there: nobody knows',
    dot: pipeline(work, 'a; b', 'start -> a -> b -> exit'),
    edited: pipeline(work, 'a; b; new', 'start -> a -> new -> b -> exit'),
    path: 'a new',
    differsAt: 'new',
    endsOtherwise: true,
    unknown: 'the old run has no outcome for visit 1 of "new"',
  },
  {
    name: 'another attempt than there was: nobody knows',
    dot: pipeline(work, 'a', 'start -> a -> exit'),
    outcomes: { 'a#1.1': { ...fail, retryable: true } },
    edited: pipeline(work, 'a [max_retries=2]', 'start -> a -> exit'),
    path: 'a',
    differsAt: 'a',
    endsOtherwise: true,
    unknown: 'the old run has no outcome for attempt 2 of visit 1 of "a"',
  },
  {
    name: 'a failure that is caught now: another end',
    dot: pipeline(
      work,
      'a; b',
      'start -> a -> exit; a -> b [condition="outcome=partial_success"]; b -> exit',
    ),
    outcomes: { 'a#1.1': fail },
    edited: pipeline(work, 'a [on_failure=continue]', 'start -> a -> exit'),
    path: 'a',
    endsOtherwise: true,
    differsAt: 'exit',
  },
  {
    name: 'a gate whose choices have other keys: the label counts',
    dot: pipeline(
      work,
      'g [shape=hexagon, type="wait.human"]; a',
      'start -> g; g -> exit [label="[A] Approve"]; g -> a [label="[F] Fix"]; a -> g',
    ),
    answers: { g: ['F', 'A'] },
    edited: pipeline(
      work,
      'g [shape=hexagon, type="wait.human"]; a',
      'start -> g; g -> exit [label="[F] Approve"]; g -> a [label="[A] Fix"]; a -> g',
    ),
    path: 'g a g',
  },
  {
    name: 'a gate without the choice that was made: nobody knows',
    dot: pipeline(
      work,
      'g [shape=hexagon, type="wait.human"]; a',
      'start -> g; g -> exit [label="[A] Approve"]; g -> a [label="[F] Fix"]; a -> exit',
    ),
    answers: { g: ['F'] },
    edited: pipeline(
      work,
      'g [shape=hexagon, type="wait.human"]',
      'start -> g; g -> exit [label="[A] Approve"]; g -> exit [label="[L] Later"]',
    ),
    path: 'g',
    differsAt: 'g',
    endsOtherwise: true,
    unknown: 'a question waits for an answer',
  },
  {
    name: 'branches whose best is chosen again, without one of them',
    dot: pipeline(
      work,
      'f [shape=component, type=parallel]; a; b; m [shape=tripleoctagon, type="parallel.fan_in", prompt=""]',
      'start -> f; f -> a -> m; f -> b -> m; m -> exit',
    ),
    outcomes: { 'b#1.1': { status: 'success', context_updates: { score: 9 } } },
    edited: pipeline(
      work,
      'f [shape=component, type=parallel]; a; b; m [shape=tripleoctagon, type="parallel.fan_in", prompt=""]; z',
      'start -> f; f -> a -> m; m -> exit [condition="context.parallel.fan_in.best_id=a"]; m -> z [condition="context.parallel.fan_in.best_id!=a"]; z -> exit',
      'b -> exit; start -> b [condition="outcome=fail"]',
    ),
    path: 'f a m',
    differsAt: 'm',
  },
  {
    name: 'a diamond in a branch, and stages with a timeout: the same way',
    dot: pipeline(
      work,
      'node [timeout="5m"]',
      'f [shape=component, type=parallel]; d [shape=diamond, type=conditional]; a; b; x; y',
      'm [shape=tripleoctagon, type="parallel.fan_in", prompt=""]',
      'start -> f; f -> a -> d -> b -> m; f -> x -> y -> m; m -> exit',
    ),
    takes: { x: 1, b: 3, y: 2 },
    edited: '',
    path: 'f a x d b y m',
  },
  {
    name: 'a stage less in a branch, for which the others do not wait until their time is up',
    dot: pipeline(
      work,
      'node [timeout="5m"]',
      'timeout="1h"; f [shape=component, type=parallel, timeout="5m"]; a; b; x',
      'm [shape=tripleoctagon, type="parallel.fan_in", prompt=""]',
      'start -> f; f -> a -> b -> m; f -> x -> m; m -> exit',
    ),
    takes: { x: 9 },
    edited: pipeline(
      work,
      'node [timeout="5m"]',
      'timeout="1h"; f [shape=component, type=parallel, timeout="5m"]; a; x',
      'm [shape=tripleoctagon, type="parallel.fan_in", prompt=""]',
      'start -> f; f -> a -> m; f -> x -> m; m -> exit',
    ),
    path: 'f a x m',
    differsAt: 'm',
  },
  {
    name: '106: the visits of a branch, whatever the others do',
    dot: pipeline(work, ...shared, 'one; f -> one -> w; f -> two -> w'),
    takes: { two: 9 },
    outcomes: { 'w#2.1': { status: 'partial_success' } },
    edited: pipeline(work, ...shared, 'f -> two -> w'),
    path: 'f two w z m',
    differsAt: 'two',
  },
  {
    name: '106: the visits of all branches, where the branch has another name now',
    dot: pipeline(work, ...shared, 'one; f -> one -> w').replace(' two;', ''),
    outcomes: { 'w#1.1': { status: 'partial_success' } },
    edited: pipeline(work, ...shared, 'f -> w').replace(' two;', ''),
    path: 'f w z m',
    differsAt: 'w',
  },
];

describe('an old run, routed through another pipeline', () => {
  testEach(
    cases,
    async ({
      dot,
      outcomes = {},
      takes = {},
      answers,
      edited,
      path: way,
      differsAt,
      endsOtherwise,
      unknown,
    }) => {
      const { directory } = await runOnDisk(dot, {
        workingDirectory: temporaryDirectory(),
        ...(answers && { answers }),
        handlers: {
          work: async ({ node, visit, attempt, logsRoot, sleep, signal }) => {
            await sleep(takes[node.id] ?? 0, signal);
            const restarted = path.basename(logsRoot).startsWith('restart-');
            return (
              (restarted ? undefined : outcomes[`${node.id}#${visit}.${attempt}`]) ?? { status: 'success' }
            );
          },
        },
      });
      const found = await reroute(directory, programOf(edited === '' ? dot : edited, ['work']));
      const nodes = found.now.path.map(({ node_id }) => node_id);
      expect(nodes.filter((id) => id !== 'start' && id !== 'exit').join(' ')).toBe(way);
      const { firstDifference } = found;
      expect(firstDifference === undefined ? undefined : nodes[firstDifference]).toBe(differsAt);
      expect(found.endsOtherwise).toBe(endsOtherwise ?? false);
      expect(found.unknown).toBe(unknown);
    },
  );

  test('sees values that were too large for the journal', async () => {
    const dot = pipeline(work, 'a; b', 'start -> a -> b -> exit');
    const big = { title: 'Big', text: 'long '.repeat(40_000) };
    const { directory } = await runOnDisk(dot, {
      workingDirectory: temporaryDirectory(),
      handlers: { work: () => ({ status: 'success', context_updates: { report: big } }) },
    });
    const edited = pipeline(
      work,
      'a; b',
      'start -> a',
      'a -> exit [condition="context.report.title=Big"]; a -> b; b -> exit',
    );
    const { now } = await reroute(directory, programOf(edited, ['work']));
    expect(now.path.map(({ node_id }) => node_id)).toEqual(['start', 'a', 'exit']);
  });
});
