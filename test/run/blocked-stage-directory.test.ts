import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FileSystem, nodeFileSystem } from '../../src/run-directory/file-system.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { eventsOf, fileOf, jsonOf, pipeline, resumePipeline, runOnDisk, type Setup } from './harness.js';

const there = '"$ATTRACTOR_STAGE_DIR"';
const status = `${there}/status.json`;
const isRoot = process.getuid?.() === 0;

/** A tool that does something to its directory at its first visit, and is run again if that is a failure. */
function blocking(command: string): string {
  const flag = path.join(temporaryDirectory(), 'flag');
  const written = JSON.stringify(`test -e ${flag} && exit; touch ${flag}; ${command}`);
  return pipeline(
    'node [shape=parallelogram, prompt=""]',
    `t [tool_command=${written}]; after [tool_command="true"]`,
    'start -> t; t -> t [condition="outcome=fail"]; t -> after [condition="outcome=success"]; after -> exit',
  );
}

async function runBlocking(command: string, setup: Setup = {}) {
  const run = await runOnDisk(blocking(command), setup);
  const settled = run.events.filter(({ type }) => type === 'StageCompleted' || type === 'StageFailed');
  const outcomes = settled.flatMap((event) =>
    'outcome' in event && event.node_id === 't' ? [event.outcome] : [],
  );
  return { ...run, outcomes };
}

const unreadable = (why: string) => ({
  status: 'fail',
  failure_reason: expect.stringMatching(`^invalid status\\.json: .*/t/status\\.json cannot be read: ${why}`),
  retryable: false,
});

describe('59b: a tool that removes its directory', () => {
  test.each<[name: string, command: string, output: string]>([
    ['and prints nothing', `rm -rf ${there}`, ''],
    ['and prints then', `rm -rf ${there}; echo out`, 'out\n'],
    [
      'and prints before and after',
      `echo out; until test -s ${there}/stdout.log; do sleep 0.05; done; rm -rf ${there}; ln -s /nowhere ${there}`,
      '',
    ],
  ])('%s, has it again', async (_name, command, output) => {
    const { result, outcomes, directory } = await runBlocking(command);
    expect(result).toMatchObject({ status: 'success', path: ['start', 't', 'after', 'exit'] });
    expect(outcomes).toMatchObject([{ status: 'success', context_updates: { 'tool.output': output } }]);
    expect(jsonOf(directory, 't', 'status.json')).toMatchObject({ outcome: 'success' });
    if (output !== '') expect(fileOf(directory, 't', 'stdout.log')).toBe(output);
  });
});

describe('59b: a tool that leaves what is not a readable status file fails, and the run continues', () => {
  test.each<[name: string, command: string, why: string]>([
    ['a directory', `mkdir ${status}; touch ${status}/x`, 'it is a directory'],
    ['a pipe, from which nothing ever comes', `mkfifo ${status}`, 'it is a named pipe'],
    ['a device without an end', `ln -s /dev/zero ${status}`, 'it is a symbolic link'],
    ['a link to itself', `ln -s status.json ${status}`, 'it is a symbolic link'],
    ['a file in place of its directory', `rm -rf ${there}; touch ${there}`, 'a part of the path is not a d'],
  ])('%s', async (_name, command, why) => {
    const { result, outcomes, directory } = await runBlocking(command);
    expect(outcomes).toMatchObject([unreadable(why), { status: 'success' }]);
    expect(result).toMatchObject({ status: 'success', path: ['start', 't', 't', 'after', 'exit'] });
    expect(jsonOf(directory, 't', 'status.json')).toMatchObject({ outcome: 'success' });
  });

  test.skipIf(isRoot)('a directory that nobody may enter', async () => {
    const { result, outcomes } = await runBlocking(`chmod 0 ${there}`);
    expect(outcomes).toMatchObject([unreadable('permission denied'), { status: 'success' }]);
    expect(result.status).toBe('success');
  });

  test.skipIf(isRoot)('a file that nobody may read', async () => {
    const { outcomes } = await runBlocking(`touch ${status}; chmod 0 ${status}`);
    expect(outcomes).toMatchObject([unreadable('permission denied'), { status: 'success' }]);
  });

  test('a directory that nobody may enter, told by the system alone', async () => {
    const runDirectory = path.join(temporaryDirectory(), 'run');
    const closed = closable(path.join(runDirectory, 't'));
    const { result, outcomes } = await runBlocking(`touch ${there}/closed`, {
      runDirectory,
      fileSystem: closed,
    });
    expect(outcomes).toMatchObject([unreadable('permission denied'), { status: 'success' }]);
    expect(result.status).toBe('success');
    expect(readdirSync(runDirectory)).toContain('t~1');
  });

  test('what was in the way is kept under another name', async () => {
    const { directory } = await runBlocking(`mkdir ${status}; echo mine > ${status}/x`);
    expect(fileOf(directory, 't', 'visit-1', 'status.json~1', 'x')).toBe('mine\n');
    expect(jsonOf(directory, 't', 'visit-1', 'status.json')).toMatchObject({ outcome: 'fail' });
  });

  test('a success is none then, and other failures keep their reason', async () => {
    const { outcomes } = await runBlocking(`mkfifo ${status}; kill -9 $$`);
    expect(outcomes).toMatchObject([{ failure_reason: 'ended by SIGKILL' }, { status: 'success' }]);
  });
});

test('59: a directory in place of its log is a failure that says so', async () => {
  const { outcomes, result } = await runBlocking(`mkdir ${there}/stdout.log; echo out`);
  expect(outcomes[0]).toMatchObject({
    status: 'fail',
    failure_reason: expect.stringMatching('output could not be kept in .*/t/stdout\\.log: EISDIR'),
  });
  expect(result.status).toBe('success');
});

test.each([
  ['a pipe that nobody reads', `mkfifo ${there}/stdout.log`],
  ['a link that leads nowhere', `ln -s ../planted ${there}/stdout.log`],
])('%s in place of its log is replaced by the log', async (_name, command) => {
  const { outcomes, directory } = await runBlocking(`${command}; echo out`);
  expect(outcomes[0]).toMatchObject({ status: 'success', context_updates: { 'tool.output': 'out\n' } });
  expect(fileOf(directory, 't', 'stdout.log')).toBe('out\n');
  expect(existsSync(path.join(directory, 'planted'))).toBe(false);
});

describe('5.3: what blocks the directory of a stage when its run is resumed', () => {
  const remove = (stage: string): void => rmSync(stage, { recursive: true });
  const replace = (stage: string): void => {
    remove(stage);
    writeFileSync(stage, '');
  };
  test.each<[name: string, block: (stage: string) => void]>([
    ['a directory in place of its status', (stage) => mkdirSync(path.join(stage, 'status.json'))],
    ['a file in its own place', replace],
    ['nothing: it is gone', remove],
  ])('%s', async (_name, block) => {
    const { directory, result, events } = await runOnDisk(
      pipeline('t [shape=parallelogram, prompt="", tool_command="test -e flag"]', 'start -> t -> exit'),
      { workingDirectory: temporaryDirectory() },
    );
    expect(result.status).toBe('fail');
    expect(eventsOf(events, 'StageFailed')).toHaveLength(1);
    rmSync(path.join(directory, 't', 'status.json'));
    block(path.join(directory, 't'));
    const { working_directory: workingDirectory } = jsonOf(directory, 'manifest.json');
    writeFileSync(path.join(workingDirectory, 'flag'), '');
    expect((await resumePipeline(directory)).result.status).toBe('success');
    expect(jsonOf(directory, 't', 'status.json')).toMatchObject({ outcome: 'success' });
  });
});

/** A file system that lets nobody into a directory once that has a file `closed`, for as long as it has its name. */
function closable(directory: string): FileSystem {
  const enter = (file: string): void => {
    if (!file.startsWith(`${directory}${path.sep}`)) return;
    if (nodeFileSystem.exists(path.join(directory, 'closed')))
      throw Object.assign(new Error(`EACCES: permission denied, '${file}'`), { code: 'EACCES' });
  };
  const entering =
    <Rest extends readonly unknown[], Result>(call: (file: string, ...rest: Rest) => Result) =>
    (file: string, ...rest: Rest): Result => {
      enter(file);
      return call(file, ...rest);
    };
  const { open, stat, readFile, writeFile, rm, mkdir } = nodeFileSystem;
  return {
    ...nodeFileSystem,
    open: entering(open),
    stat: entering(stat),
    readFile: entering(readFile),
    writeFile: entering(writeFile),
    rm: entering(rm),
    mkdir: entering(mkdir),
    exists: (file) => {
      try {
        enter(file);
      } catch {
        return false;
      }
      return nodeFileSystem.exists(file);
    },
    rename: (from, to) => {
      enter(from);
      renameSync(from, to);
    },
  };
}
