import { describe, expect, test } from 'vitest';
import { eventsOf, pipeline, resumePipeline, runPipeline, testEach } from '../run/harness.js';
import { expectPath, type PathCase } from './path-case.js';

const refused = { outcome: 'fail', failure_reason: '401: the key is refused', retryable: false };
const expired = { ...refused, failure_reason: '401: the key has expired' };
const red = { outcome: 'fail', failure_reason: 'red' };

const notAgain = '"a" has failed 2 times in a row for the same reason';

/** `a` goes to `fix` where it fails, which leads back to it. */
const loop = (...more: readonly string[]) =>
  pipeline(
    'a',
    'fix',
    'start -> a',
    'a -> exit [condition="outcome=success"]',
    'a -> fix [condition="outcome=fail"]',
    'fix -> a',
    ...more,
  );

/** The same loop, with a person in it. */
const asking = (attributes = '') =>
  loop(`fix [shape=hexagon${attributes}]`).replace('fix -> a', 'fix -> a [label="[R] Run it again"]');

/** Branches of one loop each, which share their stages. */
const branches = pipeline(
  'fan [shape=component]',
  'one; two; a; fix',
  'join [shape=tripleoctagon]',
  'start -> fan; fan -> one -> a; fan -> two -> a',
  'a -> join [condition="outcome=success"]',
  'a -> fix [condition="outcome=fail"]',
  'fix -> a',
  'join -> exit',
);

const cases: readonly PathCase[] = [
  {
    name: '127: an edge does not lead into a stage a third time',
    dot: loop(),
    script: { a: refused },
    path: 'a fix a fix',
    fails: `${notAgain}, and another attempt would not change that, so it is not run again: 401: the key is refused`,
    failedNode: 'a',
  },
  {
    name: '127: neither does an edge from the stage to itself',
    dot: pipeline('a', 'start -> a -> exit', 'a -> a [condition="outcome=fail"]'),
    script: { a: refused },
    path: 'a a',
    fails: notAgain,
  },
  {
    name: '127: a jump of another stage does not either',
    dot: pipeline('a', 'b [retry_target=a]', 'start -> a', 'a -> b [condition="outcome=fail"]', 'b -> exit'),
    script: { a: refused, b: red },
    path: 'a b a b',
    fails: notAgain,
  },
  {
    name: '127: nor a restart of the pipeline',
    dot: loop().replace('fix -> a', 'fix -> a [loop_restart=true]'),
    script: { a: refused },
    path: '',
    fails: notAgain,
  },
  {
    name: '127: other reasons start over',
    dot: loop(),
    script: { a: [refused, expired, refused, expired, {}] },
    path: 'a fix a fix a fix a fix a',
  },
  {
    name: '127: so does a success in between',
    dot: loop('fix -> a [condition="outcome=fail"]').replace(
      'a -> exit [condition="outcome=success"]',
      'a -> a [condition="outcome=success && context.go=on"]; a -> exit [condition="outcome=success"]',
    ),
    script: {
      a: [refused, { context_updates: { go: 'on' } }, refused, { context_updates: { go: 'off' } }],
    },
    path: 'a fix a a fix a',
  },
  {
    name: '127: and a failure that may pass',
    dot: loop(),
    script: { a: [refused, red, refused, red, refused, {}] },
    path: 'a fix a fix a fix a fix a fix a',
  },
  {
    name: '127: and an answer of a person',
    dot: asking(),
    script: { a: [refused, refused, refused, {}] },
    answers: { fix: ['R', 'R', 'R'] },
    path: 'a fix a fix a fix a',
  },
  {
    name: '127: but not an answer that nobody gave',
    dot: asking(', timeout="1s", "human.default_choice"=a'),
    script: { a: refused },
    answers: { fix: [] },
    path: 'a fix a fix',
    fails: notAgain,
  },
];

describe('The same terminal failure again (Appendix D)', () => {
  testEach(cases, expectPath);

  test('127: resuming the run tries once more', async () => {
    const { directory } = await runPipeline(loop(), { script: { a: [refused, refused, {}] } });
    const { result } = await resumePipeline(directory);
    expect(result).toMatchObject({ status: 'success', path: expect.arrayContaining(['exit']) });
  });

  test('127: in a branch it ends the branch, and counts for that branch alone', async () => {
    const { result, events } = await runPipeline(branches, { script: { a: refused, one: { delay: 1 } } });
    expect(result).toMatchObject({ status: 'fail', visits: { a: 4, fix: 4 } });
    expect(eventsOf(events, 'ParallelBranchCompleted').map(({ branch, error }) => [branch, error])).toEqual([
      ['two', expect.stringContaining(notAgain)],
      ['one', expect.stringContaining(notAgain)],
    ]);
  });
});
