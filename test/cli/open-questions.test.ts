import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor, type Running, startAttractor } from './attractor.js';

// What `status`, `answer` and `pause` say of a question, be it of the run itself or of one that a stage has started.

const gate = `digraph child {
  start [shape=Mdiamond]
  done [shape=Msquare]
  gate [shape=hexagon, label="Ship it?"]
  start -> gate
  gate -> done [label="[A] Approve"]
  gate -> gate [label="[F] Fix it"]
}
`;

const parent = `digraph parent {
  start [shape=Mdiamond]
  done [shape=Msquare]
  sub [type=pipeline, child="child.dot"]
  start -> sub -> done
}
`;

const files = { 'parent.dot': parent, 'child.dot': gate };

/** Where a run asks that nobody executes. */
async function pausedRun(file: keyof typeof files): Promise<string> {
  const cwd = directoryWith(files);
  await attractor(['run', file, '--run-dir', 'r'], { cwd });
  return cwd;
}

async function askingRun(
  file: keyof typeof files,
): Promise<{ readonly cwd: string; readonly running: Running }> {
  const cwd = directoryWith(files);
  const running = startAttractor(['run', file, '--run-dir', 'r'], { cwd, input: 'open' });
  await running.until('the question', () => running.output().includes('Select: '));
  return { cwd, running };
}

/** The arguments of the call by which a status says that a question is answered. */
function callIn(status: string): readonly string[] {
  return /answer: attractor (.*)\n/.exec(status)?.[1]?.split(' ') ?? [];
}

test('106: the items of a list ask by the same gate, each with its branch and an answer of its own', async () => {
  const each = `digraph each {
  start [shape=Mdiamond]
  done [shape=Msquare]
  map [shape=component, foreach="\${inputs.files}", join=done]
  gate [shape=hexagon, label="Ship it?"]
  start -> map -> gate
  gate -> done [label="[A] Approve"]
}
`;
  const cwd = directoryWith({ 'each.dot': each });
  await attractor(['run', 'each.dot', '--set', 'files=["a","b"]', '--run-dir', 'r'], { cwd });
  const { stdout } = await attractor(['status', 'r'], { cwd });
  for (const branch of ['gate#1', 'gate#2'])
    expect(stdout).toContain(`\n  gate in ${branch}: Ship it?  (asked `);
  expect(callIn(stdout)).toEqual(['answer', 'r', expect.stringMatching(/^gate\.\d\.1\.1=A$/)]);

  const listed = (await attractor(['answer', 'r'], { cwd })).stdout;
  const [, first = '', second = ''] =
    /^(gate\.\d\.1\.1) \(gate#1\): .*\n.*\n(gate\.\d\.1\.1) \(gate#2\): /.exec(listed) ?? [];
  const refused = await attractor(['answer', 'r', 'gate=A'], { cwd });
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain(
    `"gate" is the name of several open questions; name one, as in \`${first}=A\``,
  );
  const given = await attractor(['answer', 'r', 'gate#2=A'], { cwd });
  expect(given.stdout).toContain(`${second} (gate#2): [A] Approve\n`);
  // Only one is left that the name may mean.
  expect((await attractor(['answer', 'r', 'gate=A'], { cwd })).stdout).toContain(`${first} (gate#1): [A]`);
});

test('109: a gate that requires a text shows a call that gives one', async () => {
  const text = gate.replace('label="Ship it?"', 'label="Ship it?", "human.text"=required');
  const cwd = directoryWith({ 'g.dot': text });
  await attractor(['run', 'g.dot', '--run-dir', 'r'], { cwd });
  const { stdout } = await attractor(['status', 'r'], { cwd });
  expect(callIn(stdout)).toEqual(['answer', 'r', 'gate=A', '--text', 'WORDS']);
  expect(await attractor(callIn(stdout), { cwd })).toMatchObject({ status: 0 });
});

describe('the question of a child', () => {
  test('is in the status of the run above, with what the child does, where it is, and how to answer', async () => {
    const { cwd, running } = await askingRun('parent.dot');
    const { stdout } = await attractor(['status', 'r'], { cwd });
    expect(stdout).toMatch(
      /\n {2}sub\/gate: Ship it\? {2}\(asked \S+ ago by the child run r\/sub\/child\)\n/,
    );
    expect(stdout).toMatch(/\nchild runs\n {2}child {2}running {2}r\/sub\/child\n {4}gate asks, for /);
    expect(callIn(stdout)).toEqual(['answer', 'r', 'sub/gate=A']);
    expect(await attractor(callIn(stdout), { cwd })).toMatchObject({ status: 0 });
    expect(await running.finished).toMatchObject({ status: 0 });
  });

  test('is there while the run is paused, until an answer is there that nobody has taken yet', async () => {
    const cwd = await pausedRun('parent.dot');
    const before = await attractor(['status', 'r'], { cwd });
    expect(callIn(before.stdout)).toEqual(['answer', 'r', 'sub/gate=A']);
    expect(await attractor(callIn(before.stdout), { cwd })).toMatchObject({ status: 0 });
    const { stdout } = await attractor(['status', 'r'], { cwd });
    expect(stdout).toContain('answered; takes effect when the run is resumed (attractor resume r)\n');
    expect(callIn(stdout)).toEqual([]);
    const json = JSON.parse((await attractor(['status', 'r', '--json'], { cwd })).stdout);
    expect(json.child_runs).toMatchObject([{ questions: [{ stage: 'gate', answered: true }] }]);
    expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect((await attractor(['status', 'r'], { cwd })).stdout).not.toContain('waits for an answer');
  });

  test('may be answered by the name that the child itself has for it', async () => {
    const { cwd, running } = await askingRun('parent.dot');
    expect(await attractor(['answer', 'r', 'gate=approve'], { cwd })).toMatchObject({
      status: 0,
      stdout: 'sub/gate: [A] Approve\n',
    });
    expect(await running.finished).toMatchObject({ status: 0 });
  });

  test('reaches a process that somebody has resumed the child in by itself', async () => {
    const cwd = await pausedRun('parent.dot');
    const alone = startAttractor(['resume', 'r/sub/child'], { cwd, input: 'open' });
    await alone.until('the question', () => alone.output().includes('Select: '));
    const refused = await attractor(['cancel', 'r'], { cwd });
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain(`is being executed by process ${process.pid}`);
    expect(await attractor(['answer', 'r', 'sub/gate=A'], { cwd })).toMatchObject({
      status: 0,
      stdout: 'sub/gate: [A] Approve\n',
    });
    expect(await alone.finished).toMatchObject({ status: 0 });
    expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
  });

  test('is gone when the run above is cancelled, and asked again when that continues after all', async () => {
    const cwd = await pausedRun('parent.dot');
    await attractor(['answer', 'r', 'gate=Fix it'], { cwd });
    expect(await attractor(['cancel', 'r'], { cwd })).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(path.join(cwd, 'r/open-questions/gate.1.1.1.json'))).toBe(false);
    const { stdout } = await attractor(['status', 'r'], { cwd });
    expect(stdout).toMatch(/\nchild runs\n {2}child {2}cancelled {2}r\/sub\/child\n/);
    expect(stdout).not.toContain('waits for an answer');
    expect(await attractor(['resume', 'r', '--answer', 'sub/gate=A'], { cwd })).toMatchObject({ status: 0 });
  });
});

describe('the question of a run', () => {
  test('that somebody has answered is not shown as one that waits', async () => {
    const cwd = await pausedRun('child.dot');
    await attractor(['answer', 'r', 'F'], { cwd });
    const { stdout } = await attractor(['status', 'r'], { cwd });
    expect(stdout).toMatch(
      /gate: Ship it\?.*\n.*Approve\n.*Fix it\n {4}answered; takes effect when the run is resumed /,
    );
    expect((await attractor(['answer', 'r'], { cwd })).stdout).toMatch(
      /^gate: \(answered, not yet taken\) \[\?\] Ship it\?\n/,
    );
    const json = JSON.parse((await attractor(['status', 'r', '--json'], { cwd })).stdout);
    expect(json.questions).toMatchObject([{ stage: 'gate', answer_as: 'gate', answered: true }]);
  });

  test('is named where an answer is for one that is not open', async () => {
    const cwd = await pausedRun('child.dot');
    const { status, stderr } = await attractor(['answer', 'r', 'nosuch=Y'], { cwd });
    expect(status).toBe(2);
    expect(stderr).toBe(
      'attractor: no open question of r is called "nosuch". These are open:\n  gate: Ship it?  [A] Approve, [F] Fix it\n',
    );
  });

  test.each(['child.dot', 'parent.dot'] as const)(
    'is kept when the run is paused that only waits for it (%s)',
    async (file) => {
      const { cwd, running } = await askingRun(file);
      const name = file === 'child.dot' ? 'gate' : 'sub/gate';
      expect(await attractor(['pause', 'r'], { cwd })).toEqual({
        status: 0,
        stdout: `The run is paused; still open: the question of ${name}. Resume with: attractor resume r\n`,
        stderr: `Process ${process.pid} was asked to pause the run: no stage is running; the question of ${name} will be kept\n`,
      });
      expect(await running.finished).toMatchObject({ status: 3 });
      expect((await attractor(['pause', 'r'], { cwd })).stdout).toBe(
        `The run is already paused; still open: the question of ${name}. Resume with: attractor resume r\n`,
      );
      expect(await attractor(['resume', 'r', '--answer', `${name}=A`], { cwd })).toMatchObject({ status: 0 });
    },
  );
});
