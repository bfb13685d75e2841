import { createHash } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import { fork } from '../../src/run/recording/fork.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import {
  eventsOf,
  type PipelineRun,
  pipeline,
  resumePipeline,
  runOnDisk,
  runPipeline,
  testEach,
  wholePromptOf,
} from './harness.js';

function promptOf({ directory }: { readonly directory: string }, node = 'last'): string {
  return wholePromptOf(directory, node);
}

/** Answers with what a function says of a stage, its visit and its prompt. */
function answering(answer: (id: string, visit: number) => string): CodergenBackend {
  return {
    readsFiles: () => true,
    run: async (node, _prompt, _context, { visit }) => answer(node.id, visit),
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const long = `${'Step of the plan – with an umlaut ä.\n'.repeat(2000)}END`;

/** A stage `last` with this prompt. */
function last(prompt: string): string {
  return `last [prompt="${prompt}"]; last -> exit`;
}

test('104: the whole answer of an earlier stage, of which the event has the hash', async () => {
  const run = await runPipeline(
    pipeline('a', 'b', 'start -> a -> b -> last', last('>${stages.a.response}<')),
    {
      backend: answering((id) => (id === 'a' ? long : 'short')),
    },
  );
  expect(promptOf(run)).toBe(`>${long}<`);
  const settled = eventsOf(run.events, 'StageCompleted').find(({ node_id }) => node_id === 'a');
  expect(settled?.outcome.response).toEqual({
    $file: 'a/response.md',
    sha256: sha256(long),
    bytes: Buffer.byteLength(long),
  });
  expect(settled?.outcome.context_updates?.last_response).toBe([...long].slice(0, 200).join(''));
});

const tool = (id: string, command: string, more = ''): string =>
  `${id} [shape=parallelogram, prompt="", tool_command="${command}"${more}]`;

const many = 'seq 1 40000';
const numbers = Array.from({ length: 40_000 }, (_, index) => `${index + 1}\n`).join('');

testEach<{ readonly name: string; readonly dot: string; readonly expected: string }>(
  [
    {
      name: '104: the whole output of a tool, however large it is',
      dot: pipeline(tool('a', many), 'start -> a -> last', last('${stages.a.output}')),
      expected: numbers,
    },
    {
      name: '104: also of one that failed',
      dot: pipeline(
        tool('a', `${many}; exit 1`),
        'start -> a; a -> last [condition="outcome=fail"]; a -> exit',
        last('${stages.a.output}'),
      ),
      expected: numbers,
    },
    {
      name: '104: of one that printed nothing',
      dot: pipeline(
        tool('a', 'true'),
        'start -> a -> last',
        last('>${stages.a.output}<${stages.a.response}'),
      ),
      expected: '><',
    },
    {
      name: '104: of the visit that has settled last, while a later one has left nothing yet',
      dot: pipeline(
        tool('a', 'echo visit $ATTRACTOR_VISIT ${stages.a.output}'),
        'start -> a; a -> a [condition="stages.a.visits < 3"]; a -> last',
        last('${stages.a.output}'),
      ),
      expected: 'visit 3 visit 2 visit 1 \n\n\n',
    },
    {
      name: '104: what a process adds after its tool has ended is not of the tool',
      dot: pipeline(
        tool('a', 'echo one'),
        tool('b', 'echo two >> \\"$ATTRACTOR_LOGS_ROOT/a/stdout.log\\"'),
        'start -> a -> b -> last',
        last('${stages.a.output}'),
      ),
      expected: 'one\n',
    },
  ],
  async ({ dot, expected }) => {
    const run = await runOnDisk(dot);
    expect(run.result.failure_reason).toBeUndefined();
    expect(promptOf(run)).toBe(expected);
  },
);

test('104: of every branch, also of stages that several execute, wherever later visits have moved the files', async () => {
  const dot = pipeline(
    'fork [shape=component, max_parallel=1]',
    'x; y; z; check',
    'again',
    'start -> fork; fork -> x -> check; fork -> y -> check -> again; fork -> z -> again',
    'again -> fork [condition="stages.again.visits < 2"]; again -> last',
    last(
      '${parallel.results.*.stages.check.response}|${parallel.results.0.stages.x.response}|${stages.x.response}',
    ),
  );
  let asked = 0;
  const run = await runPipeline(dot, {
    backend: answering((id) => {
      asked += 1;
      return `${id} ${asked}`;
    }),
  });
  expect(promptOf(run)).toBe('["check 8","check 10",null]|x 7|x 7');
});

describe('104: a file that is gone or has been changed', () => {
  test.each<readonly [string, (file: string) => void]>([
    ['other text', (file) => writeFileSync(file, 'forged')],
    ['text of the same size', (file) => writeFileSync(file, 'WHOLE')],
  ])('%s', async (_name, change) => {
    const dot = pipeline('a', 'b', 'start -> a -> b -> last', last('${stages.a.response}'));
    const runDirectory = path.join(temporaryDirectory(), 'run');
    const run = await runOnDisk(dot, {
      runDirectory,
      backend: answering((id) => {
        if (id === 'b') change(path.join(runDirectory, 'a', 'response.md'));
        return 'whole';
      }),
    });
    expect(run.result).toMatchObject({ status: 'fail', failed_node: 'last' });
    expect(run.result.failure_reason).toContain('a/response.md of the run directory');
  });
});

const stops = pipeline('a', 'b', 'start -> a -> b -> last', last('${stages.a.response}'));

/** Answers, but `b` fails the first time. */
function failingOnce(): CodergenBackend {
  let isFirst = true;
  return {
    run: async ({ id }) => {
      if (id !== 'b' || !isFirst) return `answer of ${id}`;
      isFirst = false;
      return { status: 'fail', failure_reason: 'red', retryable: false };
    },
  };
}

test('104: a resumed run finds what was left before', async () => {
  const backend = failingOnce();
  const first = await runPipeline(stops, { backend });
  expect(first.result.status).toBe('fail');
  const second = await resumePipeline(first.directory, { backend });
  expect(promptOf(second)).toBe('answer of a');
});

test('104: a fork has the files of the history that it shares', async () => {
  const backend = failingOnce();
  const first = await runOnDisk(stops, { backend });
  const made = await fork(first.directory, {});
  if (made.status === 'invalid') throw new Error('the pipeline of the run is not valid');
  appendFileSync(path.join(first.directory, 'a', 'response.md'), 'changed since');
  const run: PipelineRun = await resumePipeline(made.run_dir, { backend });
  expect(promptOf(run)).toBe('answer of a');
});

test('102, 104: assign takes all of an answer', async () => {
  const dot = pipeline(
    'a',
    'b ["assign.plan"="${stages.a.response}"]',
    'start -> a -> b -> last',
    last('${context.plan}'),
  );
  const run = await runPipeline(dot, { backend: answering((id) => (id === 'a' ? long : 'short')) });
  expect(eventsOf(run.events, 'LogAppended')).toEqual([]);
  expect(promptOf(run)).toBe(long);
});
