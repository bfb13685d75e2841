import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type FileSystem, nodeFileSystem } from '../../src/run-directory/file-system.js';
import { acquireLease, acquireLock, lockHolder, takeLease } from '../../src/run-directory/lock.js';
import { pipeline, resumePipeline, runOnDisk } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const hasProc = existsSync('/proc/self/stat');

/** When a process started, as the lock has it. */
function processStart(pid: number | undefined): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
}

function lockOf(pid: number | undefined, start: string): string {
  return `${JSON.stringify({ pid, process_start: start })}\n`;
}

/** Another process that is alive until the test has ended. */
async function otherProcess(): Promise<ChildProcess> {
  const child = spawn('/bin/sh', ['-c', 'echo up; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

const refusal = Object.assign(new Error('refused'), { code: 'EPERM' });

/** The real file system, except that some files cannot be removed. */
function withoutRemoval(isStuck: (file: string) => boolean): FileSystem {
  const rm: FileSystem['rm'] = (file) => {
    if (isStuck(file)) throw refusal;
    nodeFileSystem.rm(file);
  };
  return { ...nodeFileSystem, rm };
}

describe('a lease', () => {
  test('is lost when another process takes it, and is not released by whoever has lost it', () => {
    const directory = temporaryDirectory();
    const file = path.join(directory, 'lock');
    const first = acquireLease(file, nodeFileSystem);
    const lost: string[] = [];
    first.onLost(({ message }) => lost.push(message));
    first.check();
    expect(() => acquireLease(file, nodeFileSystem)).toThrow(expect.objectContaining({ code: 'run_locked' }));
    const second = takeLease(file, nodeFileSystem);
    expect(() => first.check()).toThrow(`process ${process.pid} has taken the run directory over`);
    expect(lost).toHaveLength(1);
    first.release();
    second.check();
    second.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('is lost when whoever has taken it has released it', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    const first = acquireLease(file, nodeFileSystem);
    takeLease(file, nodeFileSystem).release();
    expect(() => first.check()).toThrow('another process has taken the run directory over');
  });
});

describe('DESIGN 4: the lock of a run', () => {
  test('says who holds it, and is gone when it is released', () => {
    const directory = temporaryDirectory();
    const file = path.join(directory, 'lock');
    const lock = acquireLock(file);
    expect(lockHolder(file)?.pid).toBe(process.pid);
    expect(readdirSync(directory)).toEqual(['lock']);
    lock.release();
    expect(lockHolder(file)).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('is refused to whoever comes second, in this process too', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    acquireLock(file);
    expect(() => acquireLock(file)).toThrow(expect.objectContaining({ code: 'run_locked' }));
    expect(lockHolder(file)?.pid).toBe(process.pid);
  });

  test.runIf(hasProc)('is refused while another process that is alive holds it', async () => {
    const { pid } = await otherProcess();
    const file = path.join(temporaryDirectory(), 'lock');
    writeFileSync(file, lockOf(pid, processStart(pid)));
    expect(lockHolder(file)?.pid).toBe(pid);
    expect(() => acquireLock(file)).toThrow(`this run is being executed by process ${pid}`);
    expect(readFileSync(file, 'utf8')).toBe(lockOf(pid, processStart(pid)));
  });

  test.runIf(hasProc).each<[name: string, content: (pid: number | undefined) => string]>([
    ['a process that has ended', () => lockOf(2 ** 22 + 1, 'boot/1')],
    ['a process whose number was given to another one', (pid) => lockOf(pid, 'boot/1')],
    [
      'a process before the last start of the machine',
      (pid) => lockOf(pid, processStart(pid).replace(/^[^/]*/, 'boot')),
    ],
    ['nobody, in words that cannot be read', () => '{"pid":'],
    ['nobody at all', () => ''],
  ])('is taken over from %s', async (_name, content) => {
    const { pid } = await otherProcess();
    const directory = temporaryDirectory();
    const file = path.join(directory, 'lock');
    writeFileSync(file, content(pid));
    expect(lockHolder(file)).toBeUndefined();
    const lock = acquireLock(file);
    expect(lockHolder(file)?.pid).toBe(process.pid);
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  test.runIf(hasProc)(
    'is refused by the name of who has it in the end, not of who takes away what was left behind',
    async () => {
      const [remover, winner] = [await otherProcess(), await otherProcess()];
      const directory = temporaryDirectory();
      const file = path.join(directory, 'lock');
      const takeover = `${file}.takeover`;
      writeFileSync(file, '');
      writeFileSync(takeover, lockOf(remover.pid, processStart(remover.pid)));
      const during: FileSystem = {
        ...nodeFileSystem,
        readFile(read) {
          const content = nodeFileSystem.readFile(read);
          if (read !== takeover) return content;
          writeFileSync(file, lockOf(winner.pid, processStart(winner.pid)));
          nodeFileSystem.rm(takeover);
          return content;
        },
      };
      expect(() => acquireLock(file, during)).toThrow(`this run is being executed by process ${winner.pid}.`);
      expect(readdirSync(directory)).toEqual(['lock']);
    },
  );

  test.runIf(hasProc)('is taken over from a zombie', async () => {
    // The inner process ends when the outer one has become a `sleep`, which never asks how; a shell would.
    const inner = '(until grep -q sleep /proc/$$/comm; do sleep 0.05; done)';
    const parent = spawn('/bin/sh', ['-c', `${inner} & echo $!; exec sleep 1000`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [printed] = await once(parent.stdout, 'data');
    const pid = Number(String(printed));
    const isZombie = () => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    while (!isZombie()) await new Promise((resolve) => setImmediate(resolve));
    const file = path.join(temporaryDirectory(), 'lock');
    writeFileSync(file, lockOf(pid, processStart(pid)));
    expect(lockHolder(file)).toBeUndefined();
    acquireLock(file);
    expect(lockHolder(file)?.pid).toBe(process.pid);
  });

  test('is not taken where a directory is in its place, which is told', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    mkdirSync(file);
    expect(lockHolder(file)).toBeUndefined();
    expect(() => acquireLock(file)).toThrow(
      expect.objectContaining({
        code: 'unusable_directory',
        message: `the lock ${file} cannot be read: it is a directory. If no other process executes this run, remove it and try again`,
      }),
    );
    expect(readdirSync(path.dirname(file))).toEqual(['lock']);
  });

  test('cannot be taken over where it cannot be removed, which is told', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    writeFileSync(file, '');
    const stuck = withoutRemoval((removed) => removed === file);
    expect(() => acquireLock(file, stuck)).toThrow(
      expect.objectContaining({
        code: 'unusable_directory',
        message: expect.stringMatching(/was left behind by a process that has ended.*: permission denied/),
      }),
    );
    expect(readdirSync(path.dirname(file))).toEqual(['lock']);
    acquireLock(file);
  });

  test('is empty when it is released in a directory where nothing can be removed any more', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    const lock = acquireLock(
      file,
      withoutRemoval((removed) => removed === file),
    );
    lock.release();
    expect(readFileSync(file, 'utf8')).toBe('');
    acquireLock(file).release();
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  test('is free for this process when it could neither be removed nor emptied', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    const lock = acquireLock(file, {
      ...nodeFileSystem,
      ...withoutRemoval((removed) => removed === file),
      writeFile(written, text) {
        if (written === file) throw refusal;
        nodeFileSystem.writeFile(written, text);
      },
    });
    lock.release();
    expect(existsSync(file)).toBe(true);
    expect(lockHolder(file)).toBeUndefined();
    const next = acquireLock(file);
    expect(lockHolder(file)?.pid).toBe(process.pid);
    expect(() => acquireLock(file)).toThrow(expect.objectContaining({ code: 'run_locked' }));
    next.release();
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  test('is not released by one who has lost it', () => {
    const file = path.join(temporaryDirectory(), 'lock');
    const lock = acquireLock(file);
    writeFileSync(file, lockOf(1, 'boot/1'));
    lock.release();
    expect(readFileSync(file, 'utf8')).toBe(lockOf(1, 'boot/1'));
  });
});

test('a run that another process executes is neither resumed nor changed', async () => {
  const { directory } = await runOnDisk(pipeline('a', 'start -> a -> exit'), {
    script: { a: { outcome: 'fail' } },
  });
  const { pid } = await otherProcess();
  const start = hasProc ? processStart(pid) : '';
  writeFileSync(path.join(directory, 'lock'), lockOf(pid, start));
  const journal = readFileSync(path.join(directory, 'events.jsonl'), 'utf8');
  await expect(resumePipeline(directory)).rejects.toMatchObject({ code: 'run_locked' });
  expect(readFileSync(path.join(directory, 'events.jsonl'), 'utf8')).toBe(journal);
});

test.each([{}, { a: { outcome: 'fail' } }])('a run leaves no lock behind (%j)', async (script) => {
  const { directory } = await runOnDisk(pipeline('a', 'start -> a -> exit'), { script });
  expect(readdirSync(directory).filter((name) => name.startsWith('lock'))).toEqual([]);
});
