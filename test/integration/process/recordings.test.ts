import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { attractor } from '../../cli/attractor.js';
import { type JournalLine, journalOf, linesOf } from '../../support/journal-of.js';
import { calls, crawls, mockModels, refuses, says } from '../../support/mock-models.js';
import { directoryWith, startAttractor } from './attractor.js';

/** Plan, implement, test, fix until it is green, and ask a person. */
const sprint = `digraph sprint {
  start [shape=Mdiamond]
  done [shape=Msquare]
  plan [prompt="Plan a program that adds two numbers"]
  implement [prompt="Write add.sh after the plan", max_retries=2, retry_policy=linear]
  check [shape=parallelogram, tool_command="echo checked >> checks; test \\"$(sh add.sh 2 3)\\" = 5", on_failure=continue]
  green [shape=diamond]
  repair [prompt="Repair add.sh so that its test passes"]
  ship [shape=hexagon, label="Ship it?"]
  start -> plan -> implement -> check -> green
  green -> ship [condition="outcome=success"]
  green -> repair [condition="outcome=fail"]
  repair -> check
  ship -> done [label="[Y] Yes"]
  ship -> repair [label="[N] No"]
}
`;

const write = (body: string) => calls(['write_file', { path: 'add.sh', content: `${body}\n` }]);

/** The first answer to `repair` takes so long that somebody can kill the process meanwhile. */
const answers = {
  'Plan a program': [says('Use the arithmetic of the shell.')],
  'Write add.sh': [refuses(429, { retryAfter: 1 }), write('echo $(($1 - $2))'), says('It is written.')],
  'Repair add.sh': [
    crawls('Let me think about this for a while. '.repeat(40), 60),
    write('echo $(($1 + $2))'),
    calls(['report_outcome', { outcome: 'success', notes: 'plus, not minus' }]),
  ],
};

const model = ['--model', 'claude-sonnet-4-5'];

test('a recorded run of a model that was killed and resumed is played back to an identical journal, without a network', async () => {
  const models = await mockModels(answers);
  const cwd = directoryWith({ 'sprint.dot': sprint });
  const env = models.variables;
  const running = startAttractor(['run', 'sprint.dot', '--run-dir', 'r', '--record', ...model], {
    cwd,
    env,
    input: 'open',
  });
  await running.until('the model to talk about the repair', () =>
    journalOf(path.join(cwd, 'r')).some(
      ({ type, node_id }) => type === 'StageOutput' && node_id === 'repair',
    ),
  );
  running.kill('SIGKILL');
  await running.finished;
  const resumed = await attractor(['resume', 'r', '--answer', 'ship=Y', '--json'], { cwd, env });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ status: 'success' });
  const walked = ['plan', 'implement', 'check', 'green', 'repair', 'check', 'green', 'ship'];
  expect(JSON.parse(resumed.stdout).path).toEqual(['start', ...walked, 'done']);
  const asked = models.requests().length;

  const replayed = await attractor(['replay', 'r'], { cwd });
  expect(replayed.stdout).toMatch(
    /^identical: the replay of \S+-sprint-\w+ has the same journal \(success\)\n$/,
  );
  expect(replayed.status).toBe(0);

  const again = await attractor(['run', 'sprint.dot', '--replay', 'r', '--run-dir', 'again', '--json'], {
    cwd,
  });
  const before = JSON.parse(resumed.stdout);
  expect(JSON.parse(again.stdout)).toMatchObject({ status: 'success', path: before.path });
  expect(again.status).toBe(0);
  expect(essence(path.join(cwd, 'again'))).toEqual(essence(path.join(cwd, 'r')));
  // Neither the model nor the tool was really at work.
  expect(models.requests()).toHaveLength(asked);
  expect(linesOf(path.join(cwd, 'checks'))).toHaveLength(2);
  const kept = readFileSync(path.join(cwd, 'r/recording.jsonl'), 'utf8');
  expect(kept).not.toContain(models.variables.ANTHROPIC_API_KEY ?? '');
});

/** What happened on the main line, as anybody would read it from the journal. */
function essence(directory: string): readonly unknown[] {
  const events = journalOf(directory);
  const kept = new Set([
    'StageCompleted',
    'StageFailed',
    'StageRetrying',
    'EdgeSelected',
    'InterviewCompleted',
  ]);
  return events
    .filter(({ type }) => kept.has(type))
    .map(({ type, node_id, visit, attempt, from, to, reason, answer, outcome }: JournalLine) => ({
      ...{ type, node_id, visit, attempt, from, to, reason, answer },
      status: (outcome as { readonly status?: string } | undefined)?.status,
    }));
}
