import { describe, expect, test } from 'vitest';
import { play, told } from './play.js';

describe('a mistake in a test file is a diagnostic with its place', () => {
  test.each([
    [
      'cases: [',
      '1:9 syntax: not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['', '1:1 value: the file: expected an object, found null'],
    ['cases: []', '1:8 value: `cases`: expected at least 1 entry, found []'],
    ['case: []\ncases: [{ name: a }]', '1:1 unknown_key: unknown key `case` in the file'],
    [
      'cases: [{ nam: a }]',
      '1:9 missing_key: `cases[0]` needs the key `name`\n1:11 unknown_key: unknown key `nam` in `cases[0]`',
    ],
    [
      'cases: [{ name: a, expect: { stauts: fail } }]',
      '1:30 unknown_key: unknown key `stauts` in `cases[0].expect`',
    ],
    [
      'cases: [{ name: a, expect: { status: failed } }]',
      '1:38 value: `cases[0].expect.status`: expected one of success, fail, paused, found "failed"',
    ],
    [
      'cases: [{ name: a, expect: { visits: { fix: many } } }]',
      '1:45 value: `cases[0].expect.visits.fix`: expected a number, found "many"',
    ],
    [
      'cases: [{ name: a, script: { nodes: { fix: { outcom: fail } } } }]',
      '1:46 unknown_key: unknown key `outcom` in `cases[0].script.nodes.fix[0]`',
    ],
    [
      'cases: [{ name: a, script: { nodes: { fix: [{}, { delay: soon }] } } }]',
      '1:58 value: `cases[0].script.nodes.fix[1].delay`: expected a duration such as 50ms, 2s or 0.5, which is seconds',
    ],
    ['cases: [{ name: a }, { name: a }]', '1:30 repeated_name: another case is called `a` too'],
    ['a: 1\na: 2', '2:1 syntax: this key appears twice; keep one of them'],
    [
      'cases: *none',
      '1:1 syntax: not valid YAML: unresolved alias (the anchor must be set before the alias): none',
    ],
  ])('%s', async (text, message) => {
    expect(told(await play(text)).join('\n')).toBe(message);
  });

  test('unknown keys come with the one that was meant', async () => {
    const { diagnostics } = await play('cases: [{ name: a, expect: { cost_atmost: 1 } }]');
    expect(diagnostics[0]?.fix?.title).toBe('did you mean `cost_at_most`?');
  });
});

describe('names are held against the pipeline', () => {
  test.each([
    [
      'script: { nodes: { tset: {} } }',
      '3:22 unknown_node: the pipeline has no node "tset" (did you mean "test"?)',
    ],
    [
      'expect: { path: [start, fux] }',
      '3:27 unknown_node: the pipeline has no node "fux" (did you mean "fix"?)',
    ],
    ['expect: { path: { excludes: nope } }', '3:31 unknown_node: the pipeline has no node "nope"'],
    [
      'expect: { asked: [drft] }',
      '3:21 unknown_node: the pipeline has no node "drft" (did you mean "draft"?)',
    ],
    [
      'script: { answers: { ok: [Yes, Maybe] } }',
      '3:34 unknown_choice: "Maybe" does not answer "ok", which offers: [Y] Yes, [N] No',
    ],
    [
      'script: { nodes: { draft/x: {} } }',
      '3:22 unknown_node: "draft/x" is a stage of the pipeline that "draft" runs; a test replaces "draft" as a whole',
    ],
    ['inputs: { brnch: x }', '3:13 input: the input "brnch": not declared (did you mean "branch"?)'],
    ['inputs: { branch: 5 }', '3:21 input: the input "branch": expected a string, found 5'],
  ])('%s', async (text, message) => {
    expect(told(await play(`cases:\n- name: a\n  ${text}`))).toEqual([message]);
  });

  test('places are found through anchors', async () => {
    const text = `cases:
- name: a
  script: &red { nodes: { test: { outcome: fail }, tset: {} } }
- { name: b, script: *red }
`;
    expect(told(await play(text))).toEqual([
      '3:52 unknown_node: the pipeline has no node "tset" (did you mean "test"?)',
      '3:52 unknown_node: the pipeline has no node "tset" (did you mean "test"?)',
    ]);
  });
});
