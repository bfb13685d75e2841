import { describe, expect, test } from 'vitest';
import { directoryWith } from '../../support/directory-with.js';
import { attractor } from '../attractor.js';

// The reference at hand: `attractor rules` and `attractor explain` (DESIGN §5).

const plugin = `export default {
  name: 'house-rules',
  rules: [{ name: 'house_rule', severity: 'info', summary: 'Nothing is called bad.', apply: () => [] }],
  handlers: [{ type: 'weather.fetch', title: 'Weather', summary: 'Asks for the weather.', handler: { execute() {} } }],
};`;
const cwd = () =>
  directoryWith({
    'p.mjs': plugin,
    'attractor.config.yaml': 'plugins: [./p.mjs]\nrules: { reachability: off, house_rule: error }\n',
    'flow.dot':
      'digraph G { start [shape=Mdiamond] done [shape=Msquare] work [prompt="w"] start -> work -> done }',
  });

describe('the rules', () => {
  test('are listed with the severities of the project, one a line for other programs', async () => {
    const { status, stdout } = await attractor(['rules'], { cwd: cwd() });
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^RULE +SEVERITY +FIX +WHAT MUST HOLD$/);
    expect(lines.filter((line) => /^(house_rule|reachability|start_node) /.test(line))).toEqual([
      expect.stringMatching(/^house_rule +error +Nothing is called bad\.$/),
      expect.stringMatching(/^reachability +off +\S/),
      expect.stringMatching(/^start_node +error +yes +\S/),
    ]);
  });

  test('are listed for programs', async () => {
    const { stdout } = await attractor(['rules', '--json'], { cwd: cwd() });
    const { rules } = JSON.parse(stdout) as { rules: { id: string }[] };
    expect(rules.find(({ id }) => id === 'reachability')).toMatchObject({
      severity: 'off',
      default_severity: 'error',
      fixable: false,
      adjustable: true,
      rationale: expect.any(String),
    });
    expect(rules.find(({ id }) => id === 'syntax')).toMatchObject({ fixable: true, adjustable: false });
  });
});

describe('what is explained', () => {
  test.each<[args: readonly string[], says: RegExp]>([
    [['reachability'], /^reachability · rule, error\n/],
    [['house_rule'], /^house_rule · rule, info\n\nNothing is called bad\.\n/],
    [['weather.fetch'], /^weather\.fetch · handler, Weather\n/],
    [['missing_comma'], /^syntax\/missing_comma · finding of the parser, error\n/],
    [['timeout'], /attribute of a graph, duration\n(?:.|\n)*\n\ntimeout · attribute of a node, duration\n/],
    [['work', 'flow.dot'], /^work · LLM stage \(codergen\), flow\.dot:1\n(?:.|\n)*Comes from: start\n/],
  ])('%o', async (args, says) => {
    const { status, stdout, stderr } = await attractor(['explain', ...args], { cwd: cwd() });
    expect(stdout).toMatch(says);
    expect([status, stderr]).toEqual([0, '']);
  });

  test.each<[args: readonly string[], says: string]>([
    [
      ['reachabilty'],
      'no rule, syntax code, attribute or handler is called "reachabilty" (did you mean "reachability"?)',
    ],
    [['wrok', 'flow.dot'], 'flow.dot has no node "wrok" (did you mean "work"?)'],
    [['work', 'nope.dot'], 'cannot read nope.dot'],
  ])('is not %o, which is told', async (args, says) => {
    const { status, stdout, stderr } = await attractor(['explain', ...args], { cwd: cwd() });
    expect(stderr).toContain(says);
    expect([status, stdout]).toEqual([2, '']);
  });

  test('is coloured on demand, and then needs no backquotes', async () => {
    const env = { FORCE_COLOR: '1' };
    const { stdout } = await attractor(['explain', 'goal_gate_has_retry'], { cwd: cwd(), env });
    expect(stdout).toContain('\u001b[36mretry_target\u001b[39m');
    expect(stdout.split('What it says')[0]).not.toContain('`');
  });
});
