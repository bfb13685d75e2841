import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { linesOf } from '../support/journal-of.js';
import { attractor } from './attractor.js';

// Whether the tools of a run really run: never by surprise (DESIGN §5, SEMANTICS 86).

const dot = `digraph mode {
  start [shape=Mdiamond]
  done [shape=Msquare]
  one [shape=parallelogram, tool_command="echo one >> lines"]
  gate [shape=hexagon, label="Go on?"]
  two [shape=parallelogram, tool_command="echo two >> lines"]
  think [prompt="think", llm_provider=simulated]
  start -> one -> gate
  gate -> two [label="[Y] Yes"]
  gate -> done [label="[N] No"]
  two -> think -> done
}
`;
const script = 'nodes: { one: { outcome: success } }\nanswers: { gate: [] }\n';

/** A run that has paused at its gate, and what the tools of it have done. */
async function paused(...args: readonly string[]) {
  const cwd = directoryWith({ 'mode.dot': dot, 'script.yaml': script });
  const call = (...words: readonly string[]) => attractor(words, { cwd });
  expect(await call('run', 'mode.dot', '--run-dir', 'r', ...args)).toMatchObject({ status: 3 });
  return {
    resume: (...more: readonly string[]) => call('resume', 'r', '--answer', 'gate=Y', ...more),
    status: async () => (await call('status', 'r')).stdout,
    overview: async () => JSON.parse((await call('status', 'r', '--json')).stdout),
    ran: () => linesOf(path.join(cwd, 'lines')),
  };
}

describe('a run', () => {
  test('does real work when it is resumed, and names what is simulated all the same', async () => {
    const { resume, status, overview, ran } = await paused();
    expect(await status()).not.toMatch(/^ {2}mode /m);
    expect(await overview()).toMatchObject({ simulated: false, scripted_nodes: [] });
    const { stdout } = await resume();
    expect(stdout).toContain('models: simulated for think\n');
    expect(stdout).toContain('✔ success, simulated (think) · ');
    expect(await status()).toContain('mode     simulated: think; all other stages do real work');
    expect(await overview()).toMatchObject({ simulated: false, simulated_stages: ['think'] });
    expect(ran()).toEqual(['one', 'two']);
  });

  test('that is simulated stays so, and says so', async () => {
    const { resume, status, overview, ran } = await paused('--simulate', '--script', 'script.yaml');
    expect(await status()).toContain('mode     simulated: no stage does any real work');
    expect(await overview()).toMatchObject({ simulated: true, scripted_nodes: ['one'] });
    expect((await resume()).stdout).toContain('! simulating: no stage does any real work');
    expect(ran()).toEqual([]);
  });

  test('that is simulated does real work only where that is said, and for good', async () => {
    const { resume, status, ran } = await paused('--simulate', '--script', 'script.yaml');
    const { stdout } = await resume('--no-simulate', '--max-steps', '3');
    expect(stdout).toContain('! the stages so far were simulated; from now on they do real work');
    expect(stdout).toContain('! scripted, as at the start of the run: one; all other stages do real work');
    expect(ran()).toEqual(['two']);
    expect(await status()).toContain('mode     scripted: one; all other stages do real work');
    expect((await resume('--max-steps', '9', '--from', 'two')).status).toBe(0);
    expect(ran()).toEqual(['two', 'two']);
  });

  test('that did real work pretends only where that is said, and for good', async () => {
    const { resume, status, ran } = await paused();
    const { stdout } = await resume('--simulate', '--max-steps', '3');
    expect(stdout).toContain('! the stages so far did real work; from now on they are simulated');
    expect(await status()).toContain('mode     simulated');
    expect((await resume('--max-steps', '9', '--from', 'two')).stdout).toContain('! simulating');
    expect(ran()).toEqual(['one']);
  });
});
