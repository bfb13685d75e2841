import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../../support/directory-with.js';
import { attractor } from '../attractor.js';

// `lint --explain-finding`: the run that shows a finding, as a script for the simulator.

/** A run ends without the gate if the first stage says that it is ready; the last finding says nothing of runs. */
const bypassed = `digraph Bypassed {
  graph [goal="Ship it", retry_target=write, on_failure=stop]
  start [shape=Mdiamond]
  done [shape=Msquare]
  write [prompt="Write $goal"]
  check [prompt="Check $goal", goal_gate=true]
  publish
  start -> write -> check -> publish -> done
  write -> done [condition="context.draft=ready"]
}
`;
/** Which branches a failure stops depends on time. */
const behindBranches = bypassed
  .replace('start -> write', 'start -> fork -> a -> write')
  .replace(
    'publish\n',
    'publish\n  fork [shape=component, error_policy=fail_fast]\n  a [prompt="A"]\n  b [prompt="B"]\n  fork -> b -> write\n',
  );

const cwd = () => directoryWith({ 'bypassed.dot': bypassed, 'branches.dot': behindBranches });

describe('the run of a finding', () => {
  test('is printed as a script, which the simulator replays', async () => {
    const directory = cwd();
    const { status, stdout } = await attractor(['lint', '--explain-finding', '1', 'bypassed.dot'], {
      cwd: directory,
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      nodes: { write: [{ outcome: 'success', context_updates: { draft: 'ready' } }] },
    });
    const json = await attractor(['lint', '--format', 'json', 'bypassed.dot'], { cwd: directory });
    const [first] = JSON.parse(json.stdout).diagnostics;
    expect(first).toMatchObject({ rule: 'goal_gate_bypass', witness: JSON.parse(stdout) });
  });

  test('is given the inputs that it requires', async () => {
    const asked = bypassed.replace('graph [', 'graph [inputs="version: string", ');
    const directory = directoryWith({
      'asked.dot': asked.replace('$goal"]', '$goal for ${inputs.version}"]'),
    });
    const { stdout } = await attractor(['lint', '--explain-finding', '1', 'asked.dot'], { cwd: directory });
    writeFileSync(path.join(directory, 's.json'), stdout);
    expect(JSON.parse(stdout).inputs).toEqual({ version: 'some version' });
    const argv = ['run', 'asked.dot', '--simulate', '--json', '--script', 's.json'];
    const played = await attractor(argv, { cwd: directory });
    expect(JSON.parse(played.stdout).path).toEqual(['start', 'write', 'done']);
  });

  test('has the number under which --verbose shows the finding', async () => {
    const { stdout } = await attractor(['lint', '--verbose', 'bypassed.dot'], { cwd: cwd() });
    expect(stdout).toContain(
      '= proof: `--explain-finding 1` prints the script of a run in which this happens',
    );
  });
});

describe('a finding without a run', () => {
  test.each<[what: string, args: readonly string[], says: string]>([
    ['that is not there', ['9', 'bypassed.dot'], 'there is no finding 9: bypassed.dot has 2'],
    [
      'that says nothing of runs',
      ['2', 'bypassed.dot'],
      'it does not say that something may happen in a run',
    ],
    ['whose search was given up', ['1', 'branches.dot'], 'the search for a run that shows it was given up'],
    ['of several files', ['1', 'bypassed.dot', 'branches.dot'], 'but there are 2; name one'],
    ['of a file that is not there', ['1', 'nope.dot'], 'cannot read nope.dot'],
  ])('%s is told', async (_what, args, says) => {
    const { status, stdout, stderr } = await attractor(['lint', '--explain-finding', ...args], {
      cwd: cwd(),
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(says);
  });
});
