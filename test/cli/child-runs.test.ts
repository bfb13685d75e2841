import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileChecker } from '../../src/cli/check-files.js';
import { directoryWith } from '../support/directory-with.js';
import { journalOf, linesOf } from '../support/journal-of.js';
import { isGroupAlive } from '../support/processes.js';
import { waitFor } from '../support/wait-for.js';
import { attractor, type Running, startAttractor } from './attractor.js';

// Pipelines that run pipelines, stopped and asked from outside.

const parents = {
  'a sub-pipeline': 'sub [type=pipeline, child="child.dot"]',
  'a manager':
    'sub [shape=house, child="child.dot", "manager.poll_interval"="50ms", "manager.max_cycles"=100000]',
} as const;

const parentOf = (stage: string): string => `digraph parent {
  start [shape=Mdiamond]
  done [shape=Msquare]
  before [shape=parallelogram, tool_command="echo before >> ran"]
  ${stage}
  after [shape=parallelogram, tool_command="echo after >> ran"]
  start -> before -> sub -> after -> done
}
`;

const child = `digraph child {
  start [shape=Mdiamond]
  done [shape=Msquare]
  first [shape=parallelogram, tool_command="echo first >> ran"]
  work [shape=parallelogram, tool_command="echo $$ >> started; until test -f go; do sleep 0.02; done"]
  last [shape=parallelogram, tool_command="echo last >> ran"]
  start -> first -> work -> last -> done
}
`;

interface Supervised {
  readonly cwd: string;
  readonly running: Running;
  readonly parentRun: string;
  readonly childRun: string;
  /** Lets the stage of the child end that waits. */
  go(): void;
}

/** A run with a stage of its child under way. */
async function supervised(stage: string): Promise<Supervised> {
  const cwd = directoryWith({ 'parent.dot': parentOf(stage), 'child.dot': child });
  const running = startAttractor(['run', 'parent.dot', '--run-dir', 'r'], { cwd });
  await running.until('the stage of the child', () => linesOf(path.join(cwd, 'started')).length === 1);
  const parentRun = path.join(cwd, 'r');
  const go = (): void => writeFileSync(path.join(cwd, 'go'), '');
  return { cwd, running, parentRun, childRun: path.join(parentRun, 'sub/child'), go };
}

const typesOf = (run: string) => journalOf(run).map(({ type }) => type);
const statusIn = (run: string) => JSON.parse(readFileSync(path.join(run, 'result.json'), 'utf8')).status;

async function toolIsGone(cwd: string): Promise<void> {
  const group = Number(linesOf(path.join(cwd, 'started')).at(-1));
  await waitFor('the tool to end', () => !isGroupAlive(group));
}

describe.each(Object.entries(parents))('%s', (_name, stage) => {
  test('that is cancelled from outside cancels its child, and the tools of that end', async () => {
    const { cwd, running, childRun } = await supervised(stage);
    expect(await attractor(['cancel', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect(await running.finished).toMatchObject({ status: 4 });
    await toolIsGone(cwd);
    expect(typesOf(childRun).at(-1)).toBe('PipelineCancelled');
  });

  test('that is paused from outside pauses its child when its stage has ended', async () => {
    const { cwd, running, childRun, go } = await supervised(stage);
    const pausing = startAttractor(['pause', 'r'], { cwd });
    await running.until('the child to be told', () => typesOf(childRun).includes('PipelinePausing'));
    go();
    expect(await pausing.finished).toMatchObject({ status: 0 });
    expect(await running.finished).toMatchObject({ status: 3 });
    expect(statusIn(childRun)).toBe('paused');
    expect(linesOf(path.join(cwd, 'ran'))).toEqual(['before', 'first']);
    expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect(linesOf(path.join(cwd, 'ran'))).toEqual(['before', 'first', 'last', 'after']);
    expect(linesOf(path.join(cwd, 'started'))).toHaveLength(1);
  });

  test('whose child is paused by itself is what is to be resumed', async () => {
    const { cwd, running } = await supervised(stage);
    const { status, stdout } = await attractor(['pause', '--now', 'r/sub/child'], { cwd });
    expect(status).toBe(0);
    expect(stdout).toBe('The run is paused. Resume with: attractor resume r\n');
    expect(await running.finished).toMatchObject({ status: 3 });
    const again = await attractor(['pause', 'r/sub/child'], { cwd });
    expect(again.stdout).toContain('is already paused. Resume with: attractor resume r\n');
  });

  test('that gets Ctrl-C twice leaves nothing behind', async () => {
    const { cwd, running, childRun } = await supervised(stage);
    running.signal('SIGINT');
    await running.until('the child to be told', () => typesOf(childRun).includes('PipelinePausing'));
    running.signal('SIGINT');
    expect(await running.finished).toMatchObject({ status: 4 });
    await toolIsGone(cwd);
    expect(typesOf(childRun).at(-1)).toBe('PipelineCancelled');
  });

  test('is seen from outside, with its child', async () => {
    const { cwd, running, childRun, go } = await supervised(stage);
    const { stdout } = await attractor(['status', 'r', '--json'], { cwd });
    expect(JSON.parse(stdout).child_runs).toMatchObject([
      { name: 'child', status: 'running', run_dir: childRun },
    ]);
    const logs = await attractor(['logs', 'r/sub/child'], { cwd });
    expect(logs.stdout).toContain('first');
    go();
    expect(await running.finished).toMatchObject({ status: 0 });
  });
});

describe('a question of a child', () => {
  const gated = `digraph child {
    start [shape=Mdiamond]
    done [shape=Msquare]
    gate [shape=hexagon, label="Ship it?"]
    start -> gate
    gate -> done [label="[A] Approve"]
    gate -> gate [label="[F] Fix"]
  }
  `;
  const files = { 'parent.dot': parentOf(parents['a sub-pipeline']), 'child.dot': gated };

  test('is answered for the run that was started, from elsewhere', async () => {
    const cwd = directoryWith(files);
    const running = startAttractor(['run', 'parent.dot', '--run-dir', 'r'], { cwd, input: 'open' });
    await running.until('the question', () => running.output().includes('Ship it?'));
    expect(await attractor(['answer', 'r', 'sub/gate=A'], { cwd })).toMatchObject({ status: 0 });
    expect(await running.finished).toMatchObject({ status: 0 });
  });

  test('waits with the run, and the answer is given when that is resumed', async () => {
    const cwd = directoryWith(files);
    const { status, stdout } = await attractor(['run', 'parent.dot', '--run-dir', 'r'], { cwd });
    expect(status).toBe(3);
    expect(stdout).toContain('sub/gate');
    expect(await attractor(['resume', 'r', '--answer', 'sub/gate=A'], { cwd })).toMatchObject({ status: 0 });
    expect(linesOf(path.join(cwd, 'ran'))).toEqual(['before', 'after']);
  });

  test('can be answered while the run waits', async () => {
    const cwd = directoryWith(files);
    await attractor(['run', 'parent.dot', '--run-dir', 'r'], { cwd });
    expect(await attractor(['answer', 'r', 'sub/gate=A'], { cwd })).toMatchObject({ status: 0 });
    expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
  });
});

test('a list of runs has those that people have started', async () => {
  const cwd = directoryWith({ 'parent.dot': parentOf(parents['a sub-pipeline']), 'child.dot': child });
  writeFileSync(path.join(cwd, 'go'), '');
  expect(await attractor(['run', 'parent.dot'], { cwd })).toMatchObject({ status: 0 });
  const { stdout } = await attractor(['runs', '--json'], { cwd });
  expect(JSON.parse(stdout).runs).toMatchObject([{ name: 'parent', status: 'success' }]);
});

describe('113: a child pipeline that does not exist', () => {
  const parent = (before: string): string => `digraph parent {
  start [shape=Mdiamond]
  done [shape=Msquare]
  ${before}
  sub [type=pipeline, child="sub/child.dot"]
  start -> ${before === '' ? '' : 'write -> '}sub -> done
}
`;

  test.each([
    ['run', 'p/parent.dot', '--simulate'],
    ['run', 'p/parent.dot'],
    ['lint', 'p/parent.dot'],
  ])('is an error before anything runs: %s %s %s', async (...args) => {
    const cwd = directoryWith({ 'p/parent.dot': parent('') });
    const { status, stdout, stderr } = await attractor(args, { cwd });
    expect(status).toBe(1);
    expect(stdout + stderr).toContain('the pipeline of "sub", "sub/child.dot", does not exist');
    expect(readdirSync(cwd)).toEqual(['p']);
  });

  test('is a warning after a stage that can write it, and none where it is next to the file', async () => {
    const cwd = directoryWith({
      'p/parent.dot': parent(''),
      'p/sub/child.dot': child,
      'write.dot': parent('write [prompt="Write sub/child.dot"]'),
    });
    const there = await attractor(['lint', 'p/parent.dot'], { cwd });
    expect(there.stdout + there.stderr).not.toContain('child_exists');
    const later = await attractor(['lint', 'write.dot'], { cwd });
    expect(later.stdout + later.stderr).toContain('warning[child_exists]');
    expect(later.status).toBe(0);
  });
});

describe('113: children are checked with their parent, by every command', () => {
  const parent = (more = ''): string =>
    `digraph parent { graph [on_failure=stop]; start [shape=Mdiamond]; done [shape=Msquare]
  sub [type=pipeline, child="below/child.dot"${more}]
  start -> sub -> done }
`;
  const child = (inputs: string): string =>
    `digraph child { graph [inputs="${inputs}"]; start [shape=Mdiamond]; done [shape=Msquare]; start -> done }\n`;
  const commands = [['lint'], ['run'], ['run', '--simulate'], ['cost']];

  test.each(commands)('errors of a child: %s %s', async (...args: string[]) => {
    const cwd = directoryWith({
      'parent.dot': parent(),
      'below/child.dot': 'digraph child {\n  start [shape=Mdiamond]\n  start -> gone\n}\n',
    });
    const { status, stdout, stderr } = await attractor([...args, 'parent.dot'], { cwd });
    expect(status).toBe(1);
    const said = stdout + stderr;
    expect(said).toContain('the pipeline of "sub", "below/child.dot", has 2 errors');
    expect(said).toContain('(below/child.dot:3:12)');
    expect(readdirSync(cwd).sort()).toEqual(['below', 'parent.dot']);
  });

  test.each(commands)('inputs of a child: %s %s', async (...args: string[]) => {
    const cwd = directoryWith({
      'parent.dot': parent(', "params.targt"=linux'),
      'below/child.dot': child('target: string'),
    });
    const { status, stdout, stderr } = await attractor([...args, 'parent.dot'], { cwd });
    expect(status).toBe(1);
    const said = stdout + stderr;
    expect(said).toContain('"targt" is not an input of "below/child.dot" (did you mean "target"?)');
    expect(said).toContain('"sub" does not set the input "target" of "below/child.dot"');
  });

  test.each([
    ['.', 'cannot be read: it is a directory'],
    ['below', 'cannot be read: it is a directory'],
    ['below/child.dot/deeper', 'does not exist'],
    ['pipe', 'cannot be read: it is a named pipe'],
    ['/dev/zero', 'cannot be read: it is a device'],
    ['loop', 'cannot be read'],
    ['binary', 'cannot be read: it is not UTF-8 text'],
    ['below/chlid.dot', 'does not exist, and no earlier stage could write it (did you mean "child.dot"?)'],
  ])('a file that is none: %s', async (name, reason) => {
    const cwd = directoryWith({
      'parent.dot': parent().replace('below/child.dot', name),
      'below/child.dot': child(''),
      binary: Uint8Array.of(0xff, 0xfe),
    });
    execFileSync('mkfifo', [path.join(cwd, 'pipe')]);
    symlinkSync('loop', path.join(cwd, 'loop'));
    const { status, stdout } = await attractor(['lint', 'parent.dot'], { cwd });
    expect(status).toBe(1);
    expect(stdout).toContain(reason);
  });

  test('programs get the places in the child too', async () => {
    const cwd = directoryWith({ 'parent.dot': parent(), 'below/child.dot': 'digraph' });
    const json = await attractor(['lint', '--format', 'json', 'parent.dot'], { cwd });
    expect(JSON.parse(json.stdout).diagnostics).toMatchObject([
      {
        rule: 'child_errors',
        file: 'parent.dot',
        line: 2,
        related: [
          { file: 'below/child.dot', line: 1, column: 1 },
          { file: 'below/child.dot', line: 1, column: 8 },
        ],
      },
    ]);
    const sarif = await attractor(['lint', '--format', 'sarif', 'parent.dot'], { cwd });
    const [result] = JSON.parse(sarif.stdout).runs[0].results;
    const [place] = result.relatedLocations;
    expect(place.physicalLocation.artifactLocation.uri).toBe('below/child.dot');
    const github = await attractor(['lint', '--format', 'github', 'parent.dot'], { cwd });
    expect(github.stdout).toContain('%0Anote: below/child.dot:1:');
  });

  test('explain lists them with what they take', async () => {
    const cwd = directoryWith({
      'parent.dot': parent().replace('start -> sub', 'other [type=pipeline, child="gone.dot"]; start -> sub'),
      'below/child.dot': child('target: linux|macos, jobs: integer = 4'),
    });
    const { stdout } = await attractor(['explain', 'parent.dot'], { cwd });
    expect(stdout).toContain(
      'sub    below/child.dot: target (linux|macos, required); jobs (integer, default\n         4)',
    );
    expect(stdout).toContain('other  gone.dot: does not exist');
  });

  test('lint --watch notices that a child has changed', async () => {
    const cwd = directoryWith({ 'parent.dot': parent(), 'below/child.dot': child('') });
    const checker = new FileChecker({}, { cwd: () => cwd, env: {}, stdin: process.stdin });
    const [first] = (await checker.check(['parent.dot'])).checked;
    expect(first?.diagnostics).toEqual([]);
    expect((await checker.check(['parent.dot'])).checked[0]).toBe(first);
    writeFileSync(path.join(cwd, 'below/child.dot'), child('needed: string'));
    expect((await checker.check(['parent.dot'])).checked[0]?.diagnostics).toMatchObject([
      { rule: 'child_inputs' },
    ]);
  });

  test('a replay has its children in the recording', async () => {
    const cwd = directoryWith({ 'parent.dot': parent(), 'below/child.dot': child('') });
    const recorded = await attractor(['run', 'parent.dot', '--run-dir', 'r', '--record'], { cwd });
    expect(recorded.status).toBe(0);
    rmSync(path.join(cwd, 'below'), { recursive: true });
    const replayed = await attractor(['run', 'parent.dot', '--replay', 'r', '--run-dir', 'again'], { cwd });
    expect(replayed.stdout + replayed.stderr).toContain('success');
    expect(replayed.status).toBe(0);
  });
});
