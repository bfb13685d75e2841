import { describe, expect, test } from 'vitest';
import { knownHandlerTypes } from '../../src/graph/known-handler-types.js';
import { withCases } from '../../src/testing/generate/case-text.js';
import { generateCases } from '../../src/testing/generate/generate-cases.js';
import { readTestFile } from '../../src/testing/read-test-file.js';
import { compiled, play, review, told } from './play.js';

const types = knownHandlerTypes();

/** A pipeline whose words, limits and goal gate have to be hit. */
const words = `digraph words {
  start [shape=Mdiamond]
  exit [shape=Msquare]
  look [shape=parallelogram, tool_command="./look"]
  judge [prompt="Judge."]
  mend [prompt="Mend.", max_retries=1, goal_gate=true, retry_target=judge]
  start -> look
  look -> judge [condition="tool.last_line=found"]
  look -> mend [condition="tool.last_line!=found"]
  judge -> mend [condition="context.score < 3 && context.kind=big"]
  judge -> exit [condition="context.score >= 3"]
  judge -> mend
  mend -> exit
}
`;

const dead = `digraph dead {
  start [shape=Mdiamond]
  exit [shape=Msquare]
  a [prompt="A."]
  b [prompt="B."]
  start -> a
  a -> exit [condition="outcome!=fail", weight=2]
  a -> b [condition="outcome=success", weight=1]
  b -> exit
}
`;

/** A branch that only another input than the default reaches. */
const chosen = `digraph chosen {
  graph [inputs="mode: fast|slow = fast, debug: boolean"]
  start [shape=Mdiamond]
  exit [shape=Msquare]
  a [prompt="A."]
  b [prompt="B."]
  start -> a
  a -> b [condition="inputs.mode=slow && inputs.debug"]
  a -> exit [condition="inputs.mode=fast || !inputs.debug"]
  b -> exit
}
`;

describe('generated cases', () => {
  test.each([
    ['a loop with a person', review],
    ['words, numbers and a goal gate', words],
  ])('reach all that can be reached, and pass: %s', async (_, dot) => {
    const { program } = compiled(dot);
    const { cases, uncovered } = await generateCases(program, types);
    expect(uncovered.map(({ point, reason }) => [point.text, reason])).toEqual([]);
    const text = withCases(undefined, cases, true);
    const result = await play(text, dot);
    expect(told(result)).toEqual([]);
    expect(result.cases.every(({ generated }) => generated)).toBe(true);
    const covered = new Set(result.cases.flatMap(({ coverage }) => [...coverage.keys()]));
    expect(covered.size).toBeGreaterThan(20);
    // The same again, letter by letter.
    expect(withCases(undefined, (await generateCases(program, types)).cases, true)).toBe(text);
  });

  test('give the inputs without which no run comes to a stage', async () => {
    const { cases, uncovered } = await generateCases(compiled(chosen).program, types);
    const result = await play(withCases(undefined, cases, true), chosen);
    expect(told(result)).toEqual([]);
    expect(uncovered.map(({ point }) => point.text)).not.toContain('"b"');
    const inputs = cases.map(({ setup }) => Object.fromEntries(setup.inputs ?? []));
    expect(inputs).toContainEqual({ mode: 'slow', debug: true });
  });

  test('come with the reason why the rest cannot be reached', async () => {
    const { uncovered } = await generateCases(compiled(dead).program, types);
    const reasons = new Map(uncovered.map(({ point, reason }) => [point.text, reason]));
    expect(reasons.get('"b"')).toEqual({ kind: 'impossible', text: 'no run comes to "b"' });
    expect(reasons.get('"a" -> "b"')).toEqual({ kind: 'impossible', text: 'no run takes this edge' });
  });

  test('are fewer where people have written cases', async () => {
    const { program } = compiled(review);
    const own = 'cases: [{ name: mine, script: { nodes: { test: [{ outcome: fail }, {}] } } }]';
    const { file } = readTestFile(own, 'mine');
    const all = await generateCases(program, types);
    const rest = await generateCases(program, types, file?.cases);
    expect(rest.cases.length).toBeLessThanOrEqual(all.cases.length);
    expect(rest.cases.map(({ name }) => name)).not.toContain('mine');
  });
});

const mine = `# My tests.
pipeline: review.dot

cases:
  # Odd, but mine.
  -   name:   "mine"   # stays
      expect: {status: success}

  - name: old
    generated: true

  - name: mine too
    script:
      answers: { ok: 'No' } # twice
    expect: { status: paused }
# The end.
`;

describe('a test file', () => {
  test('keeps what people wrote, letter by letter', async () => {
    const { program } = compiled(review);
    const { cases } = await generateCases(program, types);
    const text = withCases(mine, cases, true);
    const own = mine.replace('  - name: old\n    generated: true\n\n', '');
    const [before = '', after = ''] = own.split('# The end.\n');
    expect(text.startsWith(before.trimEnd())).toBe(true);
    expect(text).toContain('# The end.');
    expect(after).toBe('');
    const { file } = readTestFile(text, 'x');
    expect(file?.cases.slice(0, 2).map(({ name }) => name)).toEqual(['mine', 'mine too']);
    expect(file?.cases.filter(({ generated }) => generated).length).toBe(cases.length);
    expect(withCases(text, cases, true)).toBe(text);
  });

  test.each(['cases: [{ name: mine }]\n', 'cases: []\n', '', 'pipeline: review.dot\n'])(
    'may be written in another way: %j',
    async (before) => {
      const { cases } = await generateCases(compiled(review).program, types);
      const { file } = readTestFile(withCases(before, cases.slice(0, 1), true), 'x');
      expect(file?.cases.map(({ name }) => name)).toEqual([
        ...(before.includes('mine') ? ['mine'] : []),
        cases[0]?.name,
      ]);
    },
  );
});
