import { describe, expect, test } from 'vitest';
import { pipeline, runOnDisk, runPipeline, type Setup, testEach } from '../run/harness.js';

/** A tool that prints so many bytes after its verdict. */
const prints = (bytes: number, stream = '') =>
  `t [shape=parallelogram, tool_command="(echo RESULT-bad; head -c ${bytes} /dev/zero | tr '\\\\0' x)${stream}"]`;

const long = 300_000;
const toGood = 't -> good [condition="!tool.output contains RESULT-bad"]; good -> exit';
const toBad = 't -> bad [condition="tool.output contains RESULT-bad"]; bad -> exit';
const goodAndBad = ['good', 'bad', 'start -> t', toGood, toBad];

interface Case extends Setup {
  readonly name: string;
  readonly dot: string;
  readonly path: string;
  /** A part of the reason; without it the run succeeds. */
  readonly fails?: string;
}

const cut = '"t" cannot be routed: the condition reads `tool.output`, which has 300011 bytes';

const cases: readonly Case[] = [
  { name: 'what is whole routes', dot: pipeline(prints(9), ...goodAndBad), path: 't bad' },
  { name: 'what is cut does not', dot: pipeline(prints(long), ...goodAndBad), path: 't', fails: cut },
  {
    name: 'nor does it through a diamond',
    dot: pipeline(prints(long), 'd [shape=diamond]', ...goodAndBad)
      .replace('start -> t', 'start -> t -> d')
      .replace('t -> good', 'd -> good')
      .replace('t -> bad', 'd -> bad'),
    path: 't d',
    fails: '"d" cannot be routed: the condition reads `tool.output`',
  },
  {
    name: 'nor the other stream',
    dot: pipeline(prints(long, ' >&2'), ...goodAndBad).replaceAll('tool.output', 'tool.stderr'),
    path: 't',
    fails: 'reads `tool.stderr`, which has 300011 bytes',
  },
  {
    name: 'the failure takes the edges of one',
    dot: pipeline(
      prints(long),
      'broken',
      ...goodAndBad,
      't -> broken [condition="outcome=fail"]; broken -> exit',
    ),
    path: 't broken',
  },
  {
    name: 'a condition that other values decide is decided',
    dot: pipeline(prints(long), ...goodAndBad)
      .replace('!tool.output contains RESULT-bad', 'tool.exit_code=0 || tool.output contains x')
      .replace('tool.output contains RESULT-bad', 'outcome=fail && tool.output contains x'),
    path: 't good',
  },
  {
    name: 'so is the choice where a heavier edge holds',
    dot: pipeline(prints(long), ...goodAndBad, 't -> exit [condition="outcome=success", weight=9]'),
    path: 't',
  },
  {
    name: 'whether there is a value can be told',
    dot: pipeline(
      prints(long),
      'good',
      'start -> t',
      't -> good [condition="exists tool.output"]; good -> exit',
      't -> exit',
    ),
    path: 't good',
  },
  {
    name: 'the output of a later tool is whole again',
    dot: pipeline(prints(long), 'u [shape=parallelogram, tool_command="echo RESULT-bad"]', ...goodAndBad)
      .replace('start -> t', 'start -> t -> u')
      .replace('t -> good', 'u -> good')
      .replace('t -> bad', 'u -> bad'),
    path: 't u bad',
  },
];

describe('110: a cut value does not route', () => {
  testEach<Case>(cases, async ({ dot, path, fails, name: _name, ...setup }) => {
    const { result } = await runOnDisk(dot, setup);
    expect(result.path.filter((id) => id !== 'start' && id !== 'exit').join(' ')).toBe(path);
    expect(result.failure_reason).toEqual(fails === undefined ? undefined : expect.stringContaining(fails));
  });
});

const big = 'word '.repeat(30_000);

test.each([
  ['a text', { report: big }, 'report contains word', '`report`, whose 150002 bytes are in an artifact'],
  ['a member of an object', { report: { all: big } }, 'report.all contains word', '`report.all`'],
  ['an object around it', { report: { all: big } }, 'report contains word', '`report`'],
])('110: nor does one that was put aside: %s', async (_name, context_updates, condition, reason) => {
  const dot = pipeline('a', 'b', `start -> a; a -> b [condition="${condition}"]; a -> exit; b -> exit`);
  const { result } = await runPipeline(dot, { script: { a: { context_updates } } });
  expect(result).toMatchObject({ status: 'fail', failed_node: 'a', path: ['start', 'a'] });
  expect(result.failure_reason).toContain(reason);
});
