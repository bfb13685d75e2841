import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { JsonValue } from '../../../src/graph/json.js';
import { testEach } from '../../run/harness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { runRoadmap } from './roadmap.js';

const task = ['pick', 'context', 'execute', 'verify', 'checkpoint', 'decide'];
const again = ['failure', 'rollback', 'execute', 'verify'];

interface Row {
  readonly name: string;
  readonly inputs: Readonly<Record<string, JsonValue>>;
  readonly ticked: readonly string[];
  readonly failed: readonly string[];
  readonly path: readonly string[];
}

testEach<Row>(
  [
    {
      name: 'examples/roadmap.dot ticks off what is verified, in its order',
      inputs: {},
      ticked: ['Write the greeting', 'Translate the greeting', 'Publish it'],
      failed: [],
      path: [...task, ...task, ...task, 'pick'],
    },
    {
      name: 'it rolls back what is not, tries again, and leaves the task after two retries',
      inputs: { git: true, check: 'echo half > half-done; test "$TASK_ID" != 1.1.3' },
      ticked: ['Write the greeting', 'Publish it'],
      failed: ['9: 1.1.3'],
      path: [
        ...task,
        ...['pick', 'context', 'execute', 'verify', ...again, ...again, 'failure', 'rollback', 'decide'],
        ...task,
        'pick',
      ],
    },
    {
      name: 'it stops after the number of tasks that it may do',
      inputs: { max_tasks: 1 },
      ticked: ['Write the greeting'],
      failed: [],
      path: task,
    },
  ],
  async ({ inputs, ticked, failed, path: way }) => {
    const place = temporaryDirectory();
    const roadmap = path.join(place, 'roadmap.md');
    copyFileSync(path.join(import.meta.dirname, '../../../examples/roadmap.md'), roadmap);
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
        cwd: place,
        encoding: 'utf8',
      });
    git('init', '-q');
    git('config', 'user.name', 'A');
    git('config', 'user.email', 'a@b');
    git('add', '-A');
    git('commit', '-qm', 'begin');
    const run = await runRoadmap(roadmap, inputs);
    expect(run.result.failure_reason).toBeUndefined();
    expect(run.result.path).toEqual(['start', 'parse', ...way, 'done']);
    expect(run.ticked.map((line) => line.replaceAll(/^- \[x\] |\*\*/g, ''))).toEqual(ticked);
    expect(run.result.context.failed).toEqual(failed);
    const commits = git('log', '--format=%s').trim().split('\n');
    expect(commits.slice(0, -1).toReversed()).toEqual(
      'git' in inputs ? ['1.1.1 Write the greeting', '1.2.1 Publish it'] : [],
    );
    expect(readFileSync(roadmap, 'utf8').split('\n')).toHaveLength(15);
  },
);
