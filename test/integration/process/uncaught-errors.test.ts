import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalOf, linesOf } from '../../support/journal-of.js';
import { attractor, type Call, directoryWith, type Finished } from './attractor.js';

// What a plugin throws where nobody catches it: by a timer, or by a promise that nobody waits for.

/** Each type does its harm once: when the file `mended` is there, it succeeds. */
const plugin = `import { existsSync } from 'node:fs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const harmful = (harm) => ({ execute: async (stage) => {
  if (!existsSync('mended')) await harm(stage);
  return { status: 'success' };
} });
const untilStopped = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

export default { name: 'strays', handlers: [
  { type: 'stray.timer', handler: harmful((stage) => {
    setTimeout(() => { throw new Error('a late throw'); }, 1);
    return untilStopped(stage);
  }) },
  { type: 'stray.promise', handler: harmful((stage) => {
    void pause(1).then(() => { throw new TypeError('a floating\\u001b[31m rejection'); });
    return untilStopped(stage);
  }) },
  { type: 'stray.text', handler: harmful((stage) => {
    void Promise.reject('only a text');
    return untilStopped(stage);
  }) },
  { type: 'stray.never', handler: harmful(() => new Promise(() => {})) },
] };
`;

const dotWith = (type: string) => `digraph stray {
  start [shape=Mdiamond]
  done [shape=Msquare]
  first [shape=parallelogram, tool_command="echo first >> lines"]
  work [type="${type}"]
  start -> first -> work -> done
}
`;

const files = (type: string) => ({ 'plugin.mjs': plugin, 'stray.dot': dotWith(type) });
const run = (cwd: string, args: readonly string[] = [], call: Call = {}) =>
  attractor(['run', 'stray.dot', '--plugin', './plugin.mjs', '--run-dir', 'r', ...args], { cwd, ...call });

function expectNoStack({ stdout, stderr }: Finished): void {
  expect(stdout + stderr).not.toMatch(/^ +at |node:internal|Node\.js v/m);
}

describe.concurrent('an error that nobody catches', () => {
  test.each([
    { type: 'stray.timer', says: 'a late throw (plugin.mjs:13)' },
    { type: 'stray.promise', says: 'TypeError: a floating␛[31m rejection (plugin.mjs:17)' },
    { type: 'stray.text', says: 'it threw only a text' },
  ])('stops the run, which is resumed when it is mended: $type', async ({ type, says }) => {
    const cwd = directoryWith(files(type));
    const stopped = await run(cwd);
    expect(stopped.status).toBe(1);
    expect(stopped.stderr).toContain(`attractor: an error was thrown outside the stages: ${says}\n`);
    expect(stopped.stderr).toContain(`\n  plugins: ${path.join(cwd, 'plugin.mjs')}\n`);
    expect(stopped.stderr).toContain('Resume with: attractor resume r\n');
    expect(stopped.stdout).toContain('‖ paused: an error was thrown outside the stages');
    expectNoStack(stopped);
    expect(journalOf(path.join(cwd, 'r')).at(-1)).toMatchObject({ type: 'PipelinePaused' });

    writeFileSync(path.join(cwd, 'mended'), '');
    expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
    expect(linesOf(path.join(cwd, 'lines'))).toEqual(['first']);
  });

  test('leaves output for programs whole', async () => {
    const cwd = directoryWith(files('stray.timer'));
    const { status, stdout } = await run(cwd, ['--events']);
    expect(status).toBe(1);
    const lines = stdout.trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'RunResult', status: 'paused' });
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual(journalOf(path.join(cwd, 'r')));
  });

  test('is shown with its stack where that is asked for', async () => {
    const cwd = directoryWith(files('stray.timer'));
    const { stderr } = await run(cwd, [], { env: { ATTRACTOR_DEBUG: '1' } });
    expect(stderr).toMatch(/^ +at .*plugin\.mjs:13/m);
  });

  test.each([
    ['while the rest is closed', 'new Promise((resolve) => setTimeout(resolve, 100))'],
    ['when all is closed', 'undefined'],
  ])('changes nothing about a run that has ended, but is told: %s', async (_when, closed) => {
    const cwd = directoryWith({
      'plugin.mjs': `export default { name: 'closing', interviewers: [{ name: 'closing', create: () => ({
        ask: async () => undefined,
        close() { setTimeout(() => { throw new Error('after all'); }, 1); return ${closed}; },
      }) }] };\n`,
      'stray.dot': dotWith('x').replace('type="x"', 'prompt=x, llm_provider=simulated'),
    });
    const finished = await run(cwd, ['--interviewer', 'closing']);
    expect(finished.status).toBe(0);
    expect(finished.stderr).toContain('an error was thrown outside the stages: after all (plugin.mjs:3)');
    expectNoStack(finished);
  });

  test('of a plugin that is only loaded fails the command that it was loaded for', async () => {
    const cwd = directoryWith({
      'plugin.mjs': `void Promise.reject(new Error('while loading'));\nexport default { name: 'p' };\n`,
      'stray.dot': dotWith('x').replace('type="x"', 'prompt=x, llm_provider=simulated'),
    });
    const linted = await attractor(['lint', 'stray.dot', '--plugin', './plugin.mjs'], { cwd });
    expect(linted).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('no problems'),
      stderr: expect.stringContaining('while loading (plugin.mjs:1)'),
    });
    const refused = await run(cwd);
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain('nothing was created');
    expect(linesOf(path.join(cwd, 'lines'))).toEqual([]);
  });
});

test.concurrent('a plugin that is never ready fails the call, and nothing is created', async ({ expect }) => {
  const cwd = directoryWith({
    'plugin.mjs': `export default { name: 'p', interviewers: [{ name: 'i', create: () => new Promise(() => {}) }] };\n`,
    'stray.dot': dotWith('x').replace('type="x"', 'prompt=x, llm_provider=simulated'),
  });
  expect(await run(cwd, ['--interviewer', 'i'])).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('waits for a promise that nothing is left to settle'),
  });
  expect(existsSync(path.join(cwd, 'r'))).toBe(false);
});

test.concurrent('a plugin that never says that it is closed changes nothing about the run', async ({
  expect,
}) => {
  const cwd = directoryWith({
    'plugin.mjs': `export default { name: 'p', interviewers: [{ name: 'i', create: () => ({
      ask: async () => undefined,
      close: () => new Promise(() => {}),
    }) }] };\n`,
    'stray.dot': dotWith('x').replace('type="x"', 'prompt=x, llm_provider=simulated'),
  });
  expect(await run(cwd, ['--interviewer', 'i'])).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('did not finish closing'),
  });
});

test.concurrent('a stage whose promise nothing is left to settle pauses the run and says so', async ({
  expect,
}) => {
  const cwd = directoryWith(files('stray.never'));
  const stopped = await run(cwd);
  expect(stopped).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('the run waits for a promise that no timer'),
  });
  writeFileSync(path.join(cwd, 'mended'), '');
  expect(await attractor(['resume', 'r'], { cwd })).toMatchObject({ status: 0 });
});
