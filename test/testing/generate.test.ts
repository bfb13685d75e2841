import { describe, expect, test } from 'vitest';
import { knownHandlerTypes } from '../../src/graph/known-handler-types.js';
import { flowSearch } from '../../src/lint/flow/flow-search.js';
import { coveragePoints } from '../../src/testing/coverage-points.js';
import { withCases } from '../../src/testing/generate/case-text.js';
import { explore } from '../../src/testing/generate/explore.js';
import { generateCases } from '../../src/testing/generate/generate-cases.js';
import { whyNotCovered } from '../../src/testing/generate/why-not-covered.js';
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

/** A branch whose failure stops the others. */
const stopping = `digraph stopping {
  graph [on_failure=stop]
  start [shape=Mdiamond]
  exit [shape=Msquare]
  par [shape=component, error_policy=fail_fast]
  lint [shape=parallelogram, tool_command="l"]
  unit [shape=parallelogram, tool_command="u"]
  e2e [shape=parallelogram, tool_command="e"]
  ok [shape=diamond]
  start -> par
  par -> lint -> ok
  par -> unit -> e2e -> ok
  ok -> exit
}
`;

/** Branches for the items of an input. */
const listed = (attributes: string, items = 'inputs.files'): string => `digraph listed {
  graph [inputs="files: list", on_failure=stop]
  start [shape=Mdiamond]
  exit [shape=Msquare]
  each [shape=component, foreach="\${${items}}", as=file${attributes}]
  review [prompt="Review \${context.file}"]
  gather [shape=diamond]
  empty [prompt="Empty"]
  half [prompt="Half"]
  report [prompt="Report"]
  start -> each -> review -> gather
  gather -> empty [condition="parallel.count=0"]
  gather -> half [condition="parallel.count > 0 && parallel.fail_count > 0"]
  gather -> report [condition="parallel.count > 0 && parallel.fail_count = 0"]
  empty -> exit
  half -> exit
  report -> exit
}
`;

describe('generated cases', () => {
  test.each([
    ['a loop with a person', review],
    ['words, numbers and a goal gate', words],
    ['a branch whose failure stops the others', stopping],
    ['branches for the items of an input', listed('')],
    ['a quorum of the items of an input', listed(', join_policy=quorum, join_quorum=0.5')],
    ['branches for an input that is read by its own name', listed('', 'context.files')],
  ])('reach all that can be reached, and pass: %s', async (_, dot) => {
    const { program } = compiled(dot);
    const { cases, uncovered } = await generateCases(program, types);
    expect(uncovered.map(({ point, reason }) => [point.text, reason])).toEqual([]);
    const text = withCases(undefined, cases, true);
    const result = await play(text, dot);
    expect(told(result)).toEqual([]);
    expect(result.cases.every(({ generated }) => generated)).toBe(true);
    const covered = new Set(result.cases.flatMap(({ coverage }) => [...coverage.keys()]));
    expect(covered.size).toBeGreaterThan(16);
    // The same again, letter by letter.
    expect(withCases(undefined, (await generateCases(program, types)).cases, true)).toBe(text);
  });

  test.each([
    ['a branch whose failure stops the others', stopping],
    ['the items of an input', listed('')],
    ['a quorum of the items of an input', listed(', join_policy=quorum, join_quorum=0.5')],
    ['all items but those that fail', listed(', error_policy=ignore')],
    ['the first item of an input', listed(', join_policy=first_success')],
    ['an input that is read by its own name', listed('', 'context.files')],
    ['a list that a stage sets', listed('', 'context.found').replace('-> each', '-> find -> each')],
    ['a list that has a default', listed('').replace('files: list', 'files: list = [\\"a\\"]')],
  ])('never call something impossible that a run does: %s', async (_, dot) => {
    const { program } = compiled(dot);
    const { trials } = await explore(program);
    const done = new Set(trials.flatMap(({ covered }) => [...covered]));
    const claimed = coveragePoints(program).filter(
      (point) => done.has(point.id) && whyNotCovered(point, program, types, 0).kind === 'impossible',
    );
    expect(claimed.map(({ text }) => text)).toEqual([]);
  });

  test('do not call more items than they try impossible', async () => {
    const many = listed('').replace('parallel.count > 0 && parallel.fail_count > 0', 'parallel.count > 4');
    const { uncovered } = await generateCases(compiled(many).program, types);
    const kinds = uncovered.map(({ point, reason }) => [point.text, reason.kind]);
    expect(kinds).toContainEqual(['"half"', 'unknown']);
    expect(kinds.filter(([, kind]) => kind === 'impossible')).toEqual([]);
  });

  test('have names and words that people can read', async () => {
    const gate = review.replace('label="Good enough?"', 'label="Good enough?", human.text=required');
    const asked = await generateCases(compiled(gate).program, types);
    expect(asked.cases.map(({ name }) => name).join()).not.toContain('\t');
    const words = `digraph w { start [shape=Mdiamond]; exit [shape=Msquare]; a [shape=parallelogram, tool_command="./a"]
      b [prompt="B"]; start -> a; a -> b [condition="tool.last_line != found && tool.last_line != other"]; a -> exit; b -> exit }`;
    const search = flowSearch(compiled(words).graph, types);
    const found = search?.entering('b');
    expect(found?.kind === 'found' && found.witness.nodes.a?.[0]?.context_updates).toEqual({
      'tool.last_line': 'other2',
    });
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
