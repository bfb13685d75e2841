import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ToolEnd } from '../../../src/handlers/tools/protocol.js';
import { runTool } from '../../../src/handlers/tools/run-tool.js';
import { processes, spawnersOf } from '../../support/processes.js';
import { fillDisk, smallDisk } from '../../support/small-disk.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

interface Ran {
  readonly end: Promise<ToolEnd>;
  readonly stdout: string;
  readonly stderr: string;
  stop(): void;
}

function start(
  command: string,
  { directory = temporaryDirectory(), name = 'tool', environment = {} } = {},
): Ran {
  const controller = new AbortController();
  const stdout = path.join(directory, `${name}.out`);
  const stderr = path.join(directory, `${name}.err`);
  const call = { command, directory: '/', environment, stdout, stderr };
  return { end: runTool(call, controller.signal), stdout, stderr, stop: () => controller.abort() };
}

/** What a file holds; undefined where there is none. */
function contentOf(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A file of bytes that no pattern repeats. */
function noise(size: number): { readonly file: string; readonly bytes: Buffer } {
  const blocks: Buffer[] = [];
  for (let index = 0; index * 64 < size; index += 1) {
    blocks.push(createHash('sha512').update(String(index)).digest());
  }
  const file = path.join(temporaryDirectory(), 'noise');
  const bytes = Buffer.concat(blocks).subarray(0, size);
  writeFileSync(file, bytes);
  return { file, bytes };
}

test('59a: to end an attempt leaves the next one of its stage alone, which a resume has begun already', async () => {
  const directory = temporaryDirectory();
  const environment = {
    ATTRACTOR_RUN_ID: 'run-1',
    ATTRACTOR_STAGE_DIR: path.join(directory, 'stage'),
  };
  const first = start('echo begun; exec sleep 1000', { directory, name: 'first', environment });
  await until(() => existsSync(first.stdout));
  const next = start(
    'echo begun; while [ ! -e go ]; do sleep 0.01; done; echo done'.replace('go', path.join(directory, 'go')),
    {
      directory,
      name: 'next',
      environment,
    },
  );
  await until(() => existsSync(next.stdout));
  first.stop();
  await first.end.catch(() => undefined);
  writeFileSync(path.join(directory, 'go'), '');
  expect((await next.end).exit).toEqual({ kind: 'code', code: 0 });
  expect(contentOf(next.stdout)?.toString()).toBe('begun\ndone\n');
});

describe('59: what a tool prints is in its files, byte for byte', () => {
  test.each<[name: string, command: string, stdout: string | undefined, stderr: string | undefined]>([
    ['nothing: there are no files', 'true', undefined, undefined],
    ['no line break at the end', "printf 'a\\nb'", 'a\nb', undefined],
    ['one output only', 'echo e >&2', undefined, 'e\n'],
    ['both in turns', 'for i in 1 2 3; do echo o$i; echo e$i >&2; done', 'o1\no2\no3\n', 'e1\ne2\ne3\n'],
    ['both into one', 'exec 2>&1; echo a; echo b >&2; echo c', 'a\nb\nc\n', undefined],
    ['by the names of its outputs', 'echo o > /dev/stdout; echo e | tee /dev/stderr | cat', 'o\ne\n', 'e\n'],
    ['before a signal ends it', 'echo last words; kill -9 $$', 'last words\n', undefined],
    ['by its children', '(echo a; (echo b)) & wait; echo c', 'a\nb\nc\n', undefined],
    ['after a silence', 'sleep 0.3; echo a; sleep 0.3; echo b', 'a\nb\n', undefined],
  ])('%s', async (_name, command, stdout, stderr) => {
    const tool = start(command);
    const end = await tool.end;
    expect([contentOf(tool.stdout)?.toString(), contentOf(tool.stderr)?.toString()]).toEqual([
      stdout,
      stderr,
    ]);
    expect([end.stdout, end.stderr]).toEqual([(stdout ?? '').length, (stderr ?? '').length]);
  });

  test.each([256, 64 * 1024, 64 * 1024 + 1, 5_000_000])('%i bytes that are not text', async (size) => {
    const { file, bytes } = noise(size);
    const tool = start(`cat ${file}; cat ${file} >&2`);
    expect(await tool.end).toEqual({ exit: { kind: 'code', code: 0 }, stdout: size, stderr: size });
    expect(contentOf(tool.stdout)?.equals(bytes)).toBe(true);
    expect(contentOf(tool.stderr)?.equals(bytes)).toBe(true);
  });

  test('at once, while the tool continues', async () => {
    const { file, bytes } = noise(1_000_000);
    const tool = start(`cat ${file}; exec sleep 1000`);
    await until(() => existsSync(tool.stdout) && statSync(tool.stdout).size === bytes.length);
    tool.stop();
    expect(await tool.end).toMatchObject({
      exit: { kind: 'signal', signal: 'SIGTERM' },
      stdout: bytes.length,
    });
    expect(contentOf(tool.stdout)?.equals(bytes)).toBe(true);
  });

  test('and nothing of what an attempt before has left', async () => {
    const directory = temporaryDirectory();
    await start('echo a long first line; echo e >&2', { directory }).end;
    const again = start('printf b', { directory });
    await again.end;
    expect(contentOf(again.stdout)?.toString()).toBe('b');
    expect(contentOf(again.stderr)).toBe(undefined);
  });

  test('also of what it leaves running, for which nobody waits', async () => {
    const flag = path.join(temporaryDirectory(), 'flag');
    const tool = start(`(until test -e ${flag}; do sleep 0.05; done; echo late; echo e >&2) & echo early`);
    expect(await tool.end).toMatchObject({ exit: { kind: 'code', code: 0 }, stdout: 6, stderr: 0 });
    writeFileSync(flag, '');
    await until(() => contentOf(tool.stdout)?.toString() === 'early\nlate\n');
    await until(() => contentOf(tool.stderr)?.toString() === 'e\n');
  });

  test('which does not touch the files of the attempt after', async () => {
    const directory = temporaryDirectory();
    const flag = path.join(directory, 'flag');
    const gone = path.join(directory, 'gone');
    // More than a pipe holds: when all of it is written, the beginning has been read, and is in a file or nowhere.
    const prints = 'echo late; head -c 200000 /dev/zero';
    await start(`(until test -e ${flag}; do sleep 0.05; done; ${prints}; echo > ${gone}) & :`, { directory })
      .end;
    const next = start('echo mine', { directory });
    await next.end;
    writeFileSync(flag, '');
    await until(() => existsSync(gone));
    expect(contentOf(next.stdout)?.toString()).toBe('mine\n');
  });

  test('also where it has removed their directory', async () => {
    const directory = path.join(temporaryDirectory(), 'removed');
    const tool = start('echo out; echo err >&2', { directory });
    expect(await tool.end).toEqual({ exit: { kind: 'code', code: 0 }, stdout: 4, stderr: 4 });
    expect([contentOf(tool.stdout)?.toString(), contentOf(tool.stderr)?.toString()]).toEqual([
      'out\n',
      'err\n',
    ]);
  });

  test('or the tool fails, and learns it when it prints', async () => {
    const directory = path.join(temporaryDirectory(), 'not', 'there');
    const { exit } = await start('while :; do echo y; done', { directory }).end;
    expect(exit).toMatchObject({ kind: 'error' });
    expect(exit).toHaveProperty(
      'message',
      expect.stringMatching(/output could not be kept in .*tool\.out: ENOENT/),
    );
  });

  test.for([
    ['at once', 'echo out >&2'],
    ['after a while', 'sleep 0.3; echo out >&2'],
    ['with all that it prints', 'while :; do echo out >&2; done'],
  ])('nor does a disk that is full stay a secret, %s', async ([_when, prints = ''], { skip }) => {
    const directory = smallDisk();
    if (directory === undefined) return skip('no small file system can be mounted here, as by root on Linux');
    fillDisk(directory);
    const tool = start(prints, { directory });
    const { exit, stderr } = await tool.end;
    expect(exit).toEqual({
      kind: 'error',
      message: `its output could not be kept in ${tool.stderr}: ENOSPC: no space left on device, write`,
    });
    expect(stderr).toBe(0);
  });
});

describe('59a: what a tool is given', () => {
  test('the environment as it is now, not as it was when the spawner began', async () => {
    process.env.SPAWNER_TEST_GOES = 'old';
    process.env.SPAWNER_TEST_CHANGES = 'old';
    const show = 'echo $SPAWNER_TEST_GOES,$SPAWNER_TEST_CHANGES,$SPAWNER_TEST_COMES,$NODE_OPTIONS';
    await start(show).end;
    const nodeOptions = process.env.NODE_OPTIONS;
    try {
      delete process.env.SPAWNER_TEST_GOES;
      process.env.SPAWNER_TEST_CHANGES = 'new';
      process.env.SPAWNER_TEST_COMES = 'a\nb "€"';
      process.env.NODE_OPTIONS = '--no-warnings';
      const tool = start(show.replace('$SPAWNER_TEST_COMES', '"$SPAWNER_TEST_COMES"'));
      await tool.end;
      expect(contentOf(tool.stdout)?.toString()).toBe(',new,a\nb "€",--no-warnings\n');
    } finally {
      for (const name of ['CHANGES', 'COMES']) delete process.env[`SPAWNER_TEST_${name}`];
      if (nodeOptions === undefined) delete process.env.NODE_OPTIONS;
      else process.env.NODE_OPTIONS = nodeOptions;
    }
  });

  test.skipIf(!existsSync('/proc/self/fd'))('three open files, and no more', async () => {
    const show = 'ls /proc/$$/fd; :';
    const tool = start(show);
    await tool.end;
    // Whoever runs the tests may have left more open for everybody.
    const inherited = execFileSync('/bin/sh', ['-c', show], { encoding: 'utf8' });
    expect(contentOf(tool.stdout)?.toString()).toBe(inherited);
    expect(inherited).toMatch(/^0\n1\n2\n/);
  });

  test.each([
    ['a command that the system finds too long', `: ${'x'.repeat(200_000)}`, /could not be started: .*E2BIG/],
  ])('or a reason: %s', async (_name, command, reason) => {
    const { exit } = await start(command).end;
    expect(exit).toHaveProperty('message', expect.stringMatching(reason));
    expect((await start('exit 3').end).exit).toEqual({ kind: 'code', code: 3 });
  });
});

test('200 tools, 64 at a time, are not mixed up and leave nothing behind', async () => {
  const directory = temporaryDirectory();
  const ends = new Map<number, ToolEnd>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < 200; index = next++) {
      const command = index % 2 === 0 ? `echo ${index}; exit ${index % 7}` : `exit ${index % 7}`;
      ends.set(index, await start(command, { directory, name: String(index) }).end);
    }
  };
  await Promise.all(Array.from({ length: 64 }, work));
  for (let index = 0; index < 200; index += 1) {
    const text = index % 2 === 0 ? `${index}\n` : undefined;
    expect(ends.get(index)?.exit, `tool ${index}`).toEqual({ kind: 'code', code: index % 7 });
    expect(contentOf(path.join(directory, `${index}.out`))?.toString()).toBe(text);
  }
  expect(readdirSync(directory)).toHaveLength(100);
  const spawners = spawnersOf(process.pid);
  expect(processes().filter(({ parent }) => spawners.includes(parent))).toEqual([]);
});

describe.skipIf(!existsSync('/proc/self/stat'))('a spawner that somebody kills', () => {
  test('at the moment when a tool begins, takes it along all the same', async () => {
    const directory = temporaryDirectory();
    const begun = path.join(directory, 'begun');
    const environment = { ATTRACTOR_RUN_ID: 'run-2', ATTRACTOR_STAGE_DIR: directory };
    const tool = start(`echo $$ > ${begun}; exec sleep 1000`, { directory, environment });
    await until(() => (contentOf(begun)?.length ?? 0) > 0);
    const pid = Number(contentOf(begun)?.toString());
    // Only its own: another one that is killed might be missed later than the tool, and be given the next.
    const spawner = processes().find((process) => process.pid === pid)?.parent ?? Number.NaN;
    expect(spawnersOf(process.pid)).toContain(spawner);
    process.kill(spawner, 'SIGKILL');
    expect((await tool.end).exit).toMatchObject({ kind: 'lost' });
    await until(() => !processes().some((process) => process.pid === pid));
  });

  test('costs its tools their outcome, not their end; the next tool has another one', async () => {
    const directory = temporaryDirectory();
    const pids = path.join(directory, 'pids');
    const stubborn = `trap "" TERM; echo out; echo $$ >> ${pids}; while :; do sleep 0.05; done`;
    const tools = [1, 2].map((name) => start(stubborn, { directory, name: String(name) }));
    await until(() => (contentOf(pids)?.toString().match(/\n/g) ?? []).length === 2);
    await until(() => tools.every(({ stdout }) => contentOf(stdout)?.toString() === 'out\n'));
    const spawners = spawnersOf(process.pid);
    expect(spawners).not.toEqual([]);
    for (const spawner of spawners) process.kill(spawner, 'SIGKILL');
    for (const { end, stdout } of tools) {
      expect((await end).exit).toEqual({
        kind: 'lost',
        message: 'the process that runs the tools has ended (SIGKILL)',
      });
      expect(contentOf(stdout)?.toString()).toBe('out\n');
    }
    const groups = new Set(contentOf(pids)?.toString().trim().split('\n').map(Number));
    await until(() => !processes().some(({ group }) => groups.has(group)));
    expect((await start('exit 4').end).exit).toEqual({ kind: 'code', code: 4 });
    expect(spawners).not.toEqual(expect.arrayContaining([...spawnersOf(process.pid)]));
  });
});
