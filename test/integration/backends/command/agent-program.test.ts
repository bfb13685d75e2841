import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commandBackend } from '../../../../src/backends/command/command-backend.js';
import { noBackendSettings } from '../../../../src/backends/no-settings.js';
import { backendSettings } from '../../../../src/backends/settings-schema.js';
import type { Scene } from '../../../backends/other-side.js';
import { eventsOf, fileOf, pipeline, runOnDisk } from '../../../run/harness.js';
import { processes } from '../../../support/processes.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { virtualClock } from '../../../support/virtual-clock.js';
import { type Dialect, dialects, FakeSide, type Prints } from './fake-side.js';

const finished = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'Done.' });

/** Runs one stage by the fake program. */
async function play(side: FakeSide, dialect: Dialect, signal?: AbortSignal) {
  const dot = pipeline(
    `work [llm_provider="${dialects[dialect]}", llm_model="m-1"]`,
    'start -> work -> exit',
  );
  const clock = virtualClock({ mayPass: () => false });
  return runOnDisk(dot, {
    ...{ backend: await side.backend(), workingDirectory: side.home, clock },
    ...(signal && { signal }),
  });
}

function prints(output: string, more: Partial<Prints> = {}): Prints {
  return { kind: 'prints', output, ...more };
}

const hangs: Scene = { kind: 'hangs', text: 'Let me see' };

describe('an exit status is not believed alone', () => {
  test.each([
    ['nothing said', prints(''), /exit code 0\) without saying that it has finished/],
    [
      'an error on the way out',
      prints('', { errors: 'panic: no\n', status: 2 }),
      /exit code 2\).*: panic: no/,
    ],
    ['only garbage', prints('{"type":"resul\nnot JSON\n'), /without saying that it has finished/],
    [
      'a good end, a bad status',
      prints(`${finished}\n`, { status: 3 }),
      /exit code 3 although it had finished/,
    ],
  ])('%s', async (_name, scene, reason) => {
    const { result } = await play(new FakeSide('claude', [scene]), 'claude');
    expect(result).toMatchObject({ status: 'fail', failed_node: 'work' });
    expect(result.failure_reason).toMatch(reason);
  });

  test('a last line needs no line break', async () => {
    const { result } = await play(new FakeSide('claude', [prints(finished)]), 'claude');
    expect(result.status).toBe('success');
  });
});

test('what it prints is kept, but not without bounds', async () => {
  const noise = `${'x'.repeat(1000)}\n`.repeat(3000);
  const { directory } = await play(
    new FakeSide('claude', [prints(`${noise}${finished}\n`, { errors: 'hm\n' })]),
    'claude',
  );
  const kept = fileOf(directory, 'work', 'agent-stdout.log');
  expect(kept.length).toBeLessThan(1_100_000);
  expect(kept).toMatch(/characters left out/);
  expect(kept.endsWith(`${finished}\n`)).toBe(true);
  expect(fileOf(directory, 'work', 'agent-stderr.log')).toBe('hm\n');
});

test('a line of any length does not hurt', async () => {
  const side = new FakeSide('claude', [prints(`${'y'.repeat(40_000_000)}\n${finished}\n`)]);
  expect((await play(side, 'claude')).result.status).toBe('success');
});

test('a program that says nothing for too long is stopped, though it does not want to', async () => {
  const side = new FakeSide('claude', [hangs], { idle_timeout: 1.5 });
  side.turnDeaf();
  const { result, events } = await play(side, 'claude');
  expect(result.failure_reason).toMatch(/said nothing for 1.5 s/);
  expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({ failure_category: 'retryable' });
  await expect.poll(() => side.pids(), { timeout: 20_000 }).toEqual([]);
});

test('a program that takes too long is stopped', async () => {
  const { result } = await play(new FakeSide('claude', [hangs], { wall_timeout: 1 }), 'claude');
  expect(result.failure_reason).toMatch(/was stopped after 1 s \(wall_timeout\)/);
});

test('the model and the effort go in as options, and an option without a value is left out', async () => {
  const side = new FakeSide('claude', [{ kind: 'answers', text: 'ok' }], {
    command: [
      process.execPath,
      program,
      'claude',
      '--model',
      '{model}',
      '--effort={effort}',
      '--dir',
      '{working_directory}',
    ],
  });
  await play(side, 'claude');
  const [turn] = side.turns();
  expect(turn?.args.slice(0, 5)).toEqual(['--model', 'm-1', '--effort=high', '--dir', side.home]);
  expect(turn?.cwd).toBe(side.home);
});

const program = path.join(import.meta.dirname, '../../../support/fake-agent.mjs');

test('nothing is left behind when this process is killed', async () => {
  const side = new FakeSide('claude', [hangs]);
  side.turnDeaf();
  const module = path.join(import.meta.dirname, '../../../../src/backends/command/agent-program.ts');
  const script = path.join(temporaryDirectory(), 'owner.mjs');
  writeFileSync(script, await ownerOf(module, side.home));
  const owner = spawn(process.execPath, [script], { stdio: 'ignore' });
  onTestFinished(() => void owner.kill('SIGKILL'));
  await expect.poll(() => side.isHanging(), { timeout: 20_000 }).toBe(true);
  const exited = once(owner, 'exit');
  owner.kill('SIGKILL');
  await exited;
  await expect.poll(() => side.pids(), { timeout: 20_000 }).toEqual([]);
  expect(processes().some(({ pid }) => pid === owner.pid)).toBe(false);
});

/** A process of its own that starts the program as the backend does. */
async function ownerOf(module: string, home: string): Promise<string> {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({ input: module, platform: 'node' });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const order = {
    program: process.execPath,
    args: [program, 'claude'],
    directory: home,
    environment: { ...process.env, FAKE_AGENT_HOME: home },
    input: 'Go',
  };
  const listener = '{ onOutput() {}, onErrorOutput() {} }';
  return `${output[0].code}\nnew AgentProgram(${JSON.stringify(order)}, ${listener});\n`;
}

test('it has what a key file has, besides what every tool has', async () => {
  const command = ['/bin/sh', '-c', 'echo "$FROM_KEY_FILE, $ATTRACTOR_NODE_ID, $OWN"'];
  const backend = await commandBackend.create({
    workingDirectory: temporaryDirectory(),
    settings: { ...noBackendSettings, agents: new Map([['mine', { command, env: { OWN: 'mine' } }]]) },
    variables: { ...process.env, FROM_KEY_FILE: 'the key' },
  });
  const { directory } = await runOnDisk(pipeline('work [llm_provider="mine"]', 'start -> work -> exit'), {
    backend,
  });
  expect(fileOf(directory, 'work', 'response.md')).toBe('the key, work, mine');
});

test.each(['idle_timeout', 'wall_timeout'])(
  '%s cannot be longer than a timer, which would end at once',
  (key) => {
    const settings = (value: number) => backendSettings.safeParse({ agents: { mine: { [key]: value } } });
    expect(settings(2_147_483).success).toBe(true);
    expect(settings(3_000_000).success).toBe(false);
  },
);

test('a directory that is not there is said, not met', async () => {
  const side = new FakeSide('claude', [{ kind: 'answers', text: 'ok' }]);
  const gone = path.join(side.home, 'gone');
  const dot = pipeline('work [llm_provider="claude"]', 'start -> work -> exit');
  const { result } = await runOnDisk(dot, { backend: await side.backend(), workingDirectory: gone });
  expect(result.failure_reason).toContain(`the working directory "${gone}" does not exist`);
  expect(existsSync(gone)).toBe(false);
});
