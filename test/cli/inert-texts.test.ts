import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

// Control characters that a pipeline, a tool or a person brings in reach no terminal, wherever they are shown.

const bell = '\u0007';
const esc = '\u001b';
const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

const dot = `digraph evil {
  goal="aim${esc}[31m"
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [shape=parallelogram, tool_command="printf 'out\\\\033[2J\\\\a\\\\n'; printf 'bad\\\\033]0;title\\\\a\\\\r' >&2; exit 4"]
  gate [shape=hexagon, label="Ship${esc}[2J it?${bell}"]
  start -> work
  work -> gate [condition="outcome=fail"]
  gate -> done [label="[Y] Ye${esc}[1ms"]
  gate -> work [label="[N] No"]
}
`;

test('what others wrote is shown as it is, and obeyed by nobody', async () => {
  const cwd = directoryWith({ 'evil.dot': dot });
  const call = async (...args: string[]) => {
    const { stdout, stderr } = await attractor(args, { cwd });
    return stdout + stderr;
  };
  const shown = {
    lint: await call('lint', 'evil.dot'),
    run: await call('run', 'evil.dot', '--run-dir', 'r'),
    status: await call('status', 'r'),
    logs: await call('logs', 'r'),
    questions: await call('answer', 'r'),
    wrongAnswer: await call('answer', 'r', `${esc}[31mMaybe`),
    wrongOption: await call('run', 'evil.dot', `--no${esc}[31mpe`),
    missing: await call('status', `no${bell}pe`),
    answer: await call('answer', 'r', 'Y'),
    resume: await call('resume', 'r'),
  };
  for (const [name, text] of Object.entries(shown)) {
    expect.soft(text, name).not.toMatch(steering);
  }
  expect(shown.run).toContain('evil · aim␛[31m');
  expect(shown.run).toContain('exit code 4: bad\n');
  expect(shown.run).toContain('[?] Ship␛[2J it?␇\n    [Y] Ye␛[1ms');
  expect(shown.status).toContain('gate: Ship␛[2J it?␇');
  expect(shown.questions).toContain('[Y] Ye␛[1ms');
});

test('programs are given it as it was', async () => {
  const cwd = directoryWith({ 'evil.dot': dot });
  const { stdout } = await attractor(['run', 'evil.dot', '--run-dir', 'r', '--json', '--answer', 'gate=Y'], {
    cwd,
  });
  expect(JSON.parse(stdout).context['tool.output']).toBe(`out${esc}[2J${bell}\n`);
  const output = await attractor(['logs', 'r', '--output', 'work'], { cwd });
  expect(output.stdout).toContain(readFileSync(path.join(cwd, 'r/work/stdout.log'), 'utf8'));
});
