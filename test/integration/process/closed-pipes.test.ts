import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesOf } from '../../support/journal-of.js';
import { directoryWith, executable } from './attractor.js';

// Output that nobody reads to its end, or that cannot be written.

const works = `digraph works {
  start [shape=Mdiamond]
  done [shape=Msquare]
  one [shape=parallelogram, tool_command="echo one >> lines"]
  two [shape=parallelogram, tool_command="echo two >> lines"]
  start -> one -> two -> done
}
`;
const long = `digraph long { start [shape=Mdiamond]; done [shape=Msquare]; work [prompt="${'x'.repeat(1_000_000)}"]; start -> work -> done }`;

describe('a reader that goes away', () => {
  test.each([
    { name: 'run --events', args: 'run works.dot --events' },
    { name: 'run', args: 'run works.dot' },
    { name: 'parse', args: 'parse long.dot' },
    { name: 'lint', args: 'lint works.dot' },
    { name: '--help', args: '--help' },
  ])('$name | head -1', async ({ args }) => {
    const cwd = directoryWith({ 'works.dot': works, 'long.dot': long });
    const { stdout, stderr } = inShell(`{ "$NODE" "$ATTRACTOR" ${args}; echo $? > status; } | head -1`, cwd);
    expect(stderr).not.toMatch(/EPIPE|^\s+at /m);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(linesOf(path.join(cwd, 'status'))).toEqual(['0']);
    // The run is worth more than what is said about it.
    expect(linesOf(path.join(cwd, 'lines'))).toEqual(args.startsWith('run') ? ['one', 'two'] : []);
  });

  test('neither stream is read', () => {
    const cwd = directoryWith({ 'works.dot': works });
    inShell('{ "$NODE" "$ATTRACTOR" run works.dot; echo $? > status; } 2>&1 | true', cwd);
    expect(linesOf(path.join(cwd, 'status'))).toEqual(['0']);
  });
});

test.skipIf(!existsSync('/dev/full'))('output that cannot be written is a failure with a message', () => {
  const cwd = directoryWith({ 'works.dot': works });
  const { status, stderr } = inShell('"$NODE" "$ATTRACTOR" lint works.dot > /dev/full', cwd);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'attractor: the output could not be written: no space is left on the device\n',
  });
});

function inShell(command: string, cwd: string): SpawnSyncReturns<string> {
  const env = { ...process.env, NODE: process.execPath, ATTRACTOR: executable };
  return spawnSync('/bin/sh', ['-c', command], { cwd, env, encoding: 'utf8' });
}
