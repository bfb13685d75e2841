import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { calls, crawls, mockModels, refuses, says } from '../../support/mock-models.js';
import {
  attractor,
  directoryWith,
  type JournalLine,
  journalOf,
  linesOf,
  startAttractor,
} from './attractor.js';

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

describe('a recorded run of a model', () => {
  test('that was killed and gone on with is played back to an identical journal, without a network', async () => {
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

describe('run --replay', () => {
  const tool = (command: string) =>
    `digraph t { start [shape=Mdiamond]; done [shape=Msquare]; t [shape=parallelogram, tool_command="${command}"]; start -> t -> done }`;

  test('of an edited pipeline fails at the first request that differs, and says how', async () => {
    const cwd = directoryWith({ 'a.dot': tool('echo one') });
    await attractor(['run', 'a.dot', '--run-dir', 'r', '--record'], { cwd });
    writeFileSync(path.join(cwd, 'a.dot'), tool('echo two >> traces'));
    const { status, stdout } = await attractor(['run', 'a.dot', '--replay', 'r', '--run-dir', 'again'], {
      cwd,
    });
    expect(status).toBe(1);
    expect(stdout).toContain('"t" (visit 1, attempt 1) asks for another command than was recorded');
    expect(stdout).toContain('-echo one');
    expect(stdout).toContain('+echo two >> traces');
    expect(linesOf(path.join(cwd, 'traces'))).toEqual([]);
  });

  test('takes no answers from elsewhere, and no run without a recording', async () => {
    const cwd = directoryWith({ 'a.dot': tool('true') });
    await attractor(['run', 'a.dot', '--run-dir', 'r'], { cwd });
    const contradicting = await attractor(['run', 'a.dot', '--replay', 'r', '--simulate'], { cwd });
    expect(contradicting).toMatchObject({ status: 2 });
    expect(contradicting.stderr).toContain('cannot be combined with --simulate');
    for (const args of [
      ['run', 'a.dot', '--replay', 'r'],
      ['replay', 'r'],
    ]) {
      const { status, stderr } = await attractor(args, { cwd });
      expect(status).toBe(2);
      expect(stderr).toContain('has no recording');
      expect(stderr).toContain('--record');
    }
  });
});

test('replay --with says how an edited pipeline would have routed a run that was not recorded', async () => {
  const dot = (edges: string) =>
    `digraph g {
      start [shape=Mdiamond]; done [shape=Msquare]
      t [shape=parallelogram, tool_command="false", on_failure=continue]
      u [shape=parallelogram, tool_command="true"]; v [shape=parallelogram, tool_command="true"]
      start -> t; ${edges}; u -> done; v -> done
    }`;
  const cwd = directoryWith({
    'a.dot': dot('t -> u; t -> v [condition="outcome=never"]'),
    'b.dot': dot('t -> u [condition="outcome=success"]; t -> v [condition="outcome=fail"]'),
  });
  await attractor(['run', 'a.dot', '--run-dir', 'r'], { cwd });
  const same = await attractor(['replay', 'r', '--with', 'a.dot', '--check'], { cwd });
  expect(same.stdout).toContain('the way is the same\nthe run would have ended the same way\n');
  expect(same.status).toBe(0);
  const other = await attractor(['replay', 'r', '--with', 'b.dot'], { cwd });
  expect(other.stdout).toBe(
    [
      '  old run          b.dot',
      '  start: success   start: success',
      '  t: fail          t: fail',
      '≠ u: success       v: no outcome',
      '  done: success    –',
      '≠ end: success     stops: nobody knows',
      '',
      'the ways differ from step 3 on',
      'where it goes from there nobody knows: the old run has no outcome for visit 1 of "v"',
      '',
    ].join('\n'),
  );
  expect(other.status).toBe(0);
  expect(await attractor(['replay', 'r', '--with', 'b.dot', '--check'], { cwd })).toMatchObject({
    status: 1,
  });
});
