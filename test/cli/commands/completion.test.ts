import { describe, expect, test } from 'vitest';
import { directoryWith } from '../../support/directory-with.js';
import { attractor } from '../attractor.js';

// Completion as a shell asks for it (DESIGN §5).

const run = '20260131-120000-Example-k3x7qa';

/** A project with pipelines and a run. */
function project(): string {
  return directoryWith({
    'one.dot': '',
    'flows/two.dot': '',
    'notes.txt': '',
    [`.attractor/runs/${run}/events.jsonl`]: '',
  });
}

describe('what may stand at the cursor', () => {
  test.each<[words: readonly string[], candidates: readonly string[], files: string]>([
    [['li'], ['lint'], 'none'],
    [['he'], ['help'], 'none'],
    [['--v'], ['--version'], 'none'],
    [['help', 'expl'], ['explain'], 'none'],
    [['lint', '--max'], ['--max-warnings'], 'none'],
    [['lint', '--format', ''], ['pretty', 'json', 'sarif', 'github', 'gitlab'], 'none'],
    [['lint', '--format=s'], ['--format=sarif'], 'none'],
    [['lint', '--rule', 'reachab'], ['reachability='], 'none'],
    [['lint', '--rule', 'reachability=w'], ['reachability=warning'], 'none'],
    [['lint', '--rule=reachability=o'], ['--rule=reachability=off'], 'none'],
    [['lint', '--rule', 'start_nod'], [], 'none'],
    [['lint', '--watch', ''], [], 'dot'],
    [['check', ''], [], 'dot'],
    [['init', '--agent', 'c'], ['claude', 'codex', 'cursor', 'copilot'], 'none'],
    [['mcp', '--h'], ['--http', '--home', '--help'], 'none'],
    [['check', '--format', ''], ['pretty', 'json', 'sarif', 'junit'], 'none'],
    [['check', '--properties', ''], [], 'any'],
    [['check', 'a.dot', '--output-dir', ''], [], 'folders'],
    [['lint', 'a.dot', ''], [], 'dot'],
    [['lint', '--', '-'], [], 'dot'],
    [['lint', '--config', ''], [], 'any'],
    [['parse', 'a.dot', ''], [], 'none'],
    [['resume', '2026'], [run], 'folders'],
    [['runs', 'pr'], ['prune'], 'none'],
    [['fork', run, '--at', ''], [], 'none'],
    [['status', run, ''], [], 'none'],
    [['explain', 'hexag'], ['hexagon'], 'none'],
    [['explain', 'reachabil'], ['reachability'], 'none'],
    [['explain', 'work', ''], [], 'dot'],
    [['completion', 'z'], ['zsh'], 'none'],
    [['nonsense', ''], [], 'none'],
  ])('of %o', async (words, candidates, files) => {
    const { status, stdout, stderr } = await attractor(['completion', 'bash', '--', ...words], {
      cwd: project(),
    });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, -1).map((line) => line.split('\t')[0])).toEqual(candidates);
    expect(lines.at(-1)).toBe(`:${files}`);
    expect([status, stderr]).toEqual([0, '']);
  });

  test('of a run: its nodes, and the answers to its questions', async () => {
    const cwd = directoryWith({
      'gate.dot': `digraph release {
        start [shape=Mdiamond]
        done [shape=Msquare]
        gate [shape=hexagon, label="Ship it?"]
        start -> gate
        gate -> done [label="[A] Approve"]
        gate -> gate [label="[F] Fix"]
      }`,
    });
    await attractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd });
    const complete = async (...words: string[]) =>
      (await attractor(['completion', 'zsh', '--', ...words], { cwd })).stdout;
    expect(await complete('answer', 'r', '')).toBe('gate=A\tApprove\ngate=F\tFix\n:none\n');
    expect(await complete('fork', 'r', '--at', '')).toBe('start\ndone\ngate\tShip it?\n:none\n');
    expect(await complete('resume', 'r', '--from', 'g')).toBe('gate\tShip it?\n:none\n');
    expect(await complete('logs', 'r', 'd')).toBe('done\n:none\n');
    expect(await complete('logs', 'elsewhere', '')).toBe(':none\n');
  });

  test('is described', async () => {
    const { stdout } = await attractor(['completion', 'zsh', '--', 'lint', '--watc'], { cwd: project() });
    expect(stdout).toBe('--watch\tcheck again whenever a file changes, until Ctrl-C\n:none\n');
  });

  test('is asked for in a shell that there is', async () => {
    const { status, stderr } = await attractor(['completion', 'tcsh'], { cwd: project() });
    expect(status).toBe(2);
    expect(stderr).toContain('Allowed choices are bash, zsh, fish');
  });
});
