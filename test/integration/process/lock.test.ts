import { spawn } from 'node:child_process';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { directoryWith } from './attractor.js';

const contenders = 4;
const rounds = 300;

/**
 * Takes the lock again and again, notes where somebody else is inside too, and leaves the lock after as a process does
 * that was killed: with an owner who is no more. Asking whether an owner is alive takes it a moment, so that others come
 * in between.
 */
const contender = `
import { mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { acquireLock } from './lock.mjs';

const kill = process.kill;
const idle = new Int32Array(new SharedArrayBuffer(4));
process.kill = (...args) => {
  Atomics.wait(idle, 0, 0, Math.random() * 2);
  return kill.apply(process, args);
};

const owner = JSON.stringify({ pid: 2 ** 30, process_start: 'long ago' });
let taken = 0;
let shared = 0;
for (let round = 0; round < ${rounds} || taken === 0; round += 1) {
  let lock;
  try {
    lock = acquireLock('lock');
  } catch (error) {
    if (error.code !== 'run_locked') throw error;
    continue;
  }
  taken += 1;
  try {
    mkdirSync('inside');
    writeFileSync('dead', owner);
    rmdirSync('inside');
  } catch {
    shared += 1;
  }
  if (round % 4 === 0) lock.release();
  else renameSync('dead', 'lock');
}
process.stdout.write(JSON.stringify({ taken, shared }));
`;

test('a lock that was left behind is taken over by one process only, however many want it', async () => {
  const cwd = directoryWith({ 'contender.mjs': contender });
  const bundle = await rolldown({
    input: path.resolve(import.meta.dirname, '../../../src/run-directory/lock.ts'),
    platform: 'node',
  });
  await bundle.write({ file: path.join(cwd, 'lock.mjs') });
  await bundle.close();

  const results = await Promise.all(Array.from({ length: contenders }, () => contend(cwd)));
  expect(results.map(({ shared }) => shared)).toEqual(results.map(() => 0));
  // Everybody had a turn, so that the contenders did meet.
  expect(Math.min(...results.map(({ taken }) => taken))).toBeGreaterThan(0);
});

interface Contended {
  readonly taken: number;
  readonly shared: number;
}

function contend(cwd: string): Promise<Contended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['contender.mjs'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (status) => {
      if (status === 0) resolve(JSON.parse(printed) as Contended);
      else reject(new Error(`a contender ended with ${status}`));
    });
  });
}
