import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { registerTool } from '../../../src/handlers/tools/tool-register.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const tool = { pid: 17, began: 4711, stage_dir: '/run/work' };

describe("36: the list of a run's tools", () => {
  test('has a line for each', () => {
    const file = path.join(temporaryDirectory(), 'tools.jsonl');
    registerTool(file, tool);
    registerTool(file, { ...tool, pid: 18 });
    expect(
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([tool, { ...tool, pid: 18 }]);
  });

  test.each<[string, (file: string, victim: string) => void]>([
    ['a symbolic link', (file, victim) => symlinkSync(victim, file)],
    ['a hard link', (file, victim) => linkSync(victim, file)],
    ['a pipe', (file) => void execFileSync('mkfifo', [file])],
    ['a device', (file) => symlinkSync('/dev/full', file)],
    ['a directory', (file) => void mkdirSync(file)],
  ])('is not written through %s in its place', (_name, plant) => {
    const directory = temporaryDirectory();
    const file = path.join(directory, 'tools.jsonl');
    const victim = path.join(directory, 'victim');
    writeFileSync(victim, 'precious\n');
    plant(file, victim);
    expect(() => registerTool(file, tool)).not.toThrow();
    expect(readFileSync(victim, 'utf8')).toBe('precious\n');
  });
});
