import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

const long = `${'x'.repeat(300)}.dot`;

const plain = 'digraph d { start [shape=Mdiamond]; end [shape=Msquare]; start -> end }';

/** A directory with a loop of links and a pipe. */
function oddDirectory(): string {
  const cwd = directoryWith({ 'plain.dot': plain });
  symlinkSync('loop.dot', path.join(cwd, 'loop.dot'));
  execFileSync('mkfifo', [path.join(cwd, 'pipe.dot')]);
  return cwd;
}

const loop = 'its symbolic links form a loop';
const below = 'a part of the path is not a directory';

describe('a file that cannot be read is named, with the reason', () => {
  test.each([
    { argv: ['lint', 'loop.dot'], status: 2, says: `cannot read loop.dot: ${loop}` },
    { argv: ['fmt', 'loop.dot'], status: 2, says: `cannot read loop.dot: ${loop}` },
    { argv: ['lint', 'plain.dot/x.dot'], status: 2, says: `cannot read plain.dot/x.dot: ${below}` },
    { argv: ['lint', long], status: 2, says: `cannot read ${long}: the name is too long` },
    { argv: ['lint', '/dev/zero'], status: 2, says: 'cannot read /dev/zero: it is larger than 256 MiB' },
    { argv: ['lint', 'plain.dot', '--config', 'pipe.dot'], status: 2, says: 'pipe.dot: it is a named pipe' },
    { argv: ['lint', 'plain.dot', '--plugin', './loop.dot'], status: 2, says: 'loop.dot does not exist' },
  ])('$argv', async ({ argv, status, says }) => {
    const called = await attractor(argv, { cwd: oddDirectory() });
    const printed = called.stdout + called.stderr;
    expect(printed).toContain(says);
    expect(printed).not.toMatch(/bug in attractor/);
    expect(called.status).toBe(status);
  });
});
