import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { pipeline } from '../run/harness.js';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

const all = 'join_policy=quorum, join_quorum=1';

/** Two checks at once, and a deployment after them. */
function checked(attributes: string, unit: string, lint: string): string {
  return pipeline(
    `checks [shape=component${attributes && `, ${attributes}`}]`,
    `unit [shape=parallelogram, tool_command="${unit}"]`,
    `lint [shape=parallelogram, tool_command="${lint}"]`,
    'deploy [shape=parallelogram, tool_command="touch deployed"]',
    'start -> checks',
    'checks -> unit -> deploy',
    'checks -> lint -> deploy',
    'deploy -> exit',
  );
}

describe('108: a deployment after checks that ran at once', () => {
  test.each([
    { name: 'both checks pass', attributes: all, checks: ['true', 'true'], status: 0, isDeployed: true },
    { name: 'one fails', attributes: all, checks: ['true', 'false'], status: 1, isDeployed: false },
    { name: 'both fail', attributes: all, checks: ['false', 'false'], status: 1, isDeployed: false },
    // Without the quorum it continues, as it always did; lint is what says so.
    {
      name: 'nothing asks, one fails',
      attributes: '',
      checks: ['true', 'false'],
      status: 0,
      isDeployed: true,
    },
    {
      name: 'nothing asks, both fail',
      attributes: '',
      checks: ['false', 'false'],
      status: 0,
      isDeployed: true,
    },
  ])('$name', async ({ attributes, checks: [unit = '', lint = ''], status, isDeployed }) => {
    const cwd = directoryWith({ 'release.dot': checked(attributes, unit, lint) });
    const ran = await attractor(['run', 'release.dot', '--run-dir', 'r'], { cwd });
    expect(ran.status, ran.stdout).toBe(status);
    expect(existsSync(path.join(cwd, 'deployed'))).toBe(isDeployed);
    if (status === 1) expect(ran.stdout).toContain('✖ failed at checks');
    const linted = await attractor(['lint', 'release.dot'], { cwd });
    expect(`${linted.stdout}${linted.stderr}`.includes('branch_failure_ignored')).toBe(attributes === '');
  });
});
