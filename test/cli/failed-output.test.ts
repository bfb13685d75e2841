import { expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

const failing = (command: string) =>
  `digraph p { start [shape=Mdiamond] end [shape=Msquare] t [shape=parallelogram, tool_command="${command}"] start -> t -> end }`;

const red = "printf '\\\\033[31m2 failed\\\\033[0m\\\\n'";

// Test runners and compilers report on either stream, in colours.
test.each([
  ['standard output', `${red}; exit 1`, ['exit code 1: 2 failed']],
  ['the error output', `${red} >&2; exit 1`, ['exit code 1: 2 failed']],
  ['both', `echo npm warn >&2; ${red}; exit 1`, ['exit code 1: npm warn', 'standard output:', '2 failed']],
])('19: a tool that fails on %s says so everywhere, and how to see all', async (_stream, command, reason) => {
  const cwd = directoryWith({ 'p.dot': failing(command) });
  const run = await attractor(['run', 'p.dot', '--run-dir', 'r'], { cwd });
  const all = 'attractor logs r --output t';
  expect(run.status).toBe(1);
  const [first, ...others] = reason;
  expect(run.stdout).toContain(`  ${first}\n`);
  // What is more than a line stands below the stage.
  for (const line of others)
    expect(run.stdout).toContain(line.endsWith(':') ? '    stdout.log:\n' : `    │ ${line}\n`);
  expect(run.stdout).toContain(`  full output:   ${all}\n`);

  const status = await attractor(['status', 'r'], { cwd });
  expect(status.stdout).toContain(reason.map((line) => `  ${line}\n`).join(''));
  expect(status.stdout).toContain(`\nnext\n  attractor resume r\n  attractor logs r\n  ${all}\n`);

  const logs = await attractor(['logs', 'r', '--output', 't'], { cwd });
  expect(logs.stdout).toContain('2 failed');

  const { stdout: page } = await attractor(['report', 'r'], { cwd });
  expect(page).toContain(`<strong>Failed at t:</strong> ${reason.join('\n')}</p>`);
  expect(page).toContain('<span class="ansi-red">2 failed</span>');
});

test('19: a stage that has printed nothing has nothing more to show', async () => {
  const cwd = directoryWith({ 'p.dot': failing('exit 1') });
  const run = await attractor(['run', 'p.dot', '--run-dir', 'r'], { cwd });
  const status = await attractor(['status', 'r'], { cwd });
  expect(run.stdout).toContain('  exit code 1\n');
  expect(run.stdout + status.stdout).not.toContain('--output');
});
