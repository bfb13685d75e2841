import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../../support/directory-with.js';
import { attractor, startAttractor } from '../attractor.js';

const flow = `digraph flow {
  start [shape=Mdiamond]
  exit [shape=Msquare]
  plan [prompt="Plan it.", llm_model="claude-sonnet-4-5"]
  check [shape=parallelogram, tool_command="./check"]
  start -> plan -> check
  check -> exit [condition="outcome=success"]
  check -> plan [condition="outcome=fail"]
}
`;
const passing = 'cases:\n- name: works\n  expect: { path: [start, plan, check, exit] }\n';
const failing = passing.replace('works', 'is slow').replace('plan, check', 'check, plan');

describe('attractor test', () => {
  test('plays the cases beside the pipelines of this directory', async () => {
    const cwd = directoryWith({
      'flow.dot': flow,
      'flow.test.yaml': passing,
      'node_modules/a.test.yaml': 'x',
    });
    expect(await attractor(['test'], { cwd })).toEqual({
      status: 0,
      stdout: 'flow.test.yaml\n  ✔ works\n\n1 case in 1 file: 1 passed\n',
      stderr: '',
    });
    for (const name of ['flow.dot', 'flow.test.yaml', '*.yaml'])
      expect((await attractor(['test', name], { cwd })).stdout).toContain('1 passed');
  });

  test('exits with 1 where a case fails, and shows the difference', async () => {
    const cwd = directoryWith({ 'flow.dot': flow, 'flow.test.yaml': failing });
    const { status, stdout } = await attractor(['test', 'flow.dot'], { cwd });
    expect(status).toBe(1);
    expect(stdout).toContain('the path differs  flow.test.yaml:3:19');
    expect(stdout).toContain('1 case in 1 file: 1 failed');
  });

  test('exits with 2 for a file that cannot be used, and plays the others', async () => {
    const cwd = directoryWith({
      'flow.dot': flow,
      'flow.test.yaml': passing,
      'bad.test.yaml': `pipeline: flow.dot\n${passing.replace('path', 'paht')}`,
      'lost.test.yaml': passing,
      'wrong.dot': flow.replace('"./check"', '"./check", timeout=soon'),
      'wrong.test.yaml': passing,
    });
    const { status, stdout, stderr } = await attractor(['test', '.'], { cwd });
    expect(status).toBe(2);
    expect(stdout).toContain('1 case in 4 files: 1 passed, 3 unusable files');
    expect(stderr).toContain('bad.test.yaml:4:13: error[test_file/unknown_key]: unknown key `paht`');
    expect(stderr).toContain('\n  |             ^^^^\n');
    expect(stderr).toContain('did you mean `path`?');
    expect(stderr).toContain('lost.test.yaml:1:1: error[test_file/pipeline]: cannot read lost.dot: ');
    expect(stderr).toContain('the pipeline wrong.dot has 1 error, so it cannot be tested');
    expect(stderr).toMatch(/note: attribute_type: .*\(wrong\.dot:5:/);
    expect((await attractor(['test', 'none.dot'], { cwd })).stderr).toContain('cannot read none.test.yaml: ');
    expect(await attractor(['test', 'empty'], { cwd: directoryWith({ 'empty/a.txt': '' }) })).toMatchObject({
      status: 2,
      stderr:
        'attractor: there is no test file below empty; `attractor test --generate review.dot` writes review.test.yaml\n',
    });
  });

  test('leaves out files of other programs that are called so, unless they are named', async () => {
    const cwd = directoryWith({ 'flow.dot': flow, 'flow.test.yaml': passing, 'ci.test.yml': 'jobs: []' });
    expect(await attractor(['test'], { cwd })).toMatchObject({
      status: 0,
      stderr:
        'attractor: left out: ci.test.yml has no cases of a pipeline; name it to check it all the same\n',
    });
    expect((await attractor(['test', 'ci.test.yml'], { cwd })).status).toBe(2);
  });

  test('plays only some cases, by a part of their names', async () => {
    const both = `${passing}- name: fails\n  expect: { status: fail }\n`;
    const cwd = directoryWith({ 'flow.dot': flow, 'flow.test.yaml': both });
    expect((await attractor(['test', '--filter', 'ork'], { cwd })).stdout).toContain(
      '1 case in 1 file: 1 passed',
    );
    expect(await attractor(['test', '--filter', 'worsk'], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no case has "worsk" in its name; did you mean "works"?'),
    });
  });

  test('estimates costs by the prices of the models', async () => {
    const cases = `cases:
- { name: cheap, script: { nodes: { plan: { response: ok } } }, expect: { cost_at_most: 0.001 } }
- { name: usual, expect: { cost_at_most: 0.001 } }
`;
    const cwd = directoryWith({
      'flow.dot': flow,
      'flow.test.yaml': cases,
      'own.dot': flow.replace('claude-sonnet-4-5', 'my-own'),
      'own.test.yaml': cases,
    });
    const { status, stdout } = await attractor(['test', 'flow.dot'], { cwd });
    expect(status).toBe(1);
    expect(stdout).toContain('✔ cheap');
    expect(stdout).toContain('expected a cost of at most $0.001, but the estimate is $0.0150');
    expect((await attractor(['test', 'own.dot'], { cwd })).stdout).toContain(
      'cannot tell the cost: no price is known for the model of "plan"',
    );
  });

  test('shows what the cases cover: as a table, JSON, LCOV and a picture', async () => {
    const cwd = directoryWith({ 'flow.dot': flow, 'flow.test.yaml': passing });
    const table = await attractor(['test', '--coverage', 'table'], { cwd });
    expect(table.stdout).toContain('1 passed\n\ncoverage  ');
    expect(table.stdout).toContain('  "check" fails  flow.dot:5:3\n');
    const json = await attractor(['test', '--coverage', 'table', '--format', 'json'], { cwd });
    const [{ pipeline, points }] = JSON.parse(json.stdout).coverage;
    expect(pipeline).toBe('flow.dot');
    expect(points).toContainEqual({
      kind: 'failure',
      node_id: 'check',
      text: '"check" fails',
      line: 5,
      column: 3,
      count: 0,
    });
    const lcov = await attractor(['test', '--coverage', 'lcov'], { cwd });
    expect(lcov.stdout).toMatch(/^TN:\nSF:flow\.dot\nFN:2,start\n/);
    expect(lcov.stderr).toContain('1 passed');
    const picture = await attractor(['render', '--coverage', 'flow.test.yaml', '--format', 'mermaid'], {
      cwd,
    });
    expect(picture.stdout).toContain('flow (1 case · ');
    expect(picture.stdout).toContain('never fails');
    const both = await attractor(['test', '--coverage', 'lcov', '--format', 'junit'], { cwd });
    expect(both).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--coverage lcov takes standard output'),
    });
    const lost = await attractor(['render', '--coverage', 'lost.test.yaml'], { cwd });
    expect(lost).toMatchObject({ status: 2, stderr: expect.stringContaining('cannot read lost.test.yaml') });
  });

  test.each([
    ['tap', 'TAP version 14\n1..1\nok 1 - flow.test.yaml: works\n'],
    ['junit', '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="attractor test" tests="1"'],
    ['json', '{\n  "passed": 1,\n  "failed": 0,'],
  ])('prints %s', async (format, beginning) => {
    const cwd = directoryWith({ 'flow.dot': flow, 'flow.test.yaml': passing });
    const { stdout, stderr } = await attractor(['test', '--format', format], { cwd });
    expect(stdout.startsWith(beginning)).toBe(true);
    expect(stderr).toBe('');
  });

  test('plays again when the test or its pipeline changes', async () => {
    const cwd = directoryWith({ 'flow.dot': flow, 'flow.test.yaml': failing });
    const call = startAttractor(['test', '--watch', 'flow.test.yaml'], { cwd });
    const rounds = (): number => call.output().split('watching for changes').length - 1;
    await call.until('the first round', () => rounds() === 1);
    expect(call.output()).toContain('1 failed');
    writeFileSync(path.join(cwd, 'flow.test.yaml'), passing);
    await call.until('the second round', () => rounds() === 2 && call.output().includes('1 passed'));
    writeFileSync(
      path.join(cwd, 'flow.dot'),
      flow.replace('start -> plan -> check', 'start -> check; plan -> check'),
    );
    await call.until('the third round', () => rounds() === 3 && call.output().split('1 failed').length > 2);
    call.signal('SIGINT');
    expect((await call.finished).status).toBe(130);
  });
});

describe('attractor test --generate', () => {
  test('writes cases that pass and cover everything, and keeps those that people wrote', async () => {
    const cwd = directoryWith({ 'flow.dot': flow });
    const { status, stdout } = await attractor(['test', '--generate', 'flow.dot'], { cwd });
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^flow\.test\.yaml: \d+ generated cases\n {2}\d+ of \d+ covered, after \d+ simulations\n$/,
    );
    expect((await attractor(['test'], { cwd })).status).toBe(0);
    const file = path.join(cwd, 'flow.test.yaml');
    const text = readFileSync(file, 'utf8');
    await attractor(['test', '--generate', 'flow.dot'], { cwd });
    expect(readFileSync(file, 'utf8')).toBe(text);
    writeFileSync(file, passing);
    const again = await attractor(['test', '--generate', 'flow.test.yaml'], { cwd });
    expect(again.stdout).toContain(', 1 case of yours kept');
    expect(readFileSync(file, 'utf8').startsWith(passing)).toBe(true);
  });

  test('changes no file that cannot be used', async () => {
    const bad = passing.replace('path', 'paht');
    const cwd = directoryWith({ 'flow.dot': flow, 'flow.test.yaml': bad });
    const { status, stderr } = await attractor(['test', '--generate', 'flow.dot'], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain('unknown key `paht`');
    expect(readFileSync(path.join(cwd, 'flow.test.yaml'), 'utf8')).toBe(bad);
    expect(await attractor(['test', '--generate', 'lost.dot'], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('cannot read lost.dot'),
    });
    expect(await attractor(['test', '--generate', '--mutate'], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--generate and --mutate cannot be combined'),
    });
  });
});

describe('attractor test --mutate', () => {
  test('lists the changes that no case notices', async () => {
    const cwd = directoryWith({ 'flow.dot': flow, 'flow.test.yaml': passing });
    const { status, stdout } = await attractor(['test', '--mutate'], { cwd });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^flow\.test\.yaml: \d+ of \d+ changes noticed \(\d+ %\)\n/);
    expect(stdout).toContain('not noticed  without the edge "check" -> "plan"  flow.dot:8:3');
    expect(stdout).toContain('to notice it, add a case in which "check" fails');
    await attractor(['test', '--generate', 'flow.dot'], { cwd });
    expect((await attractor(['test', '--mutate'], { cwd })).stdout).toContain('noticed (100 %)');
  });

  test('needs cases that pass', async () => {
    const cwd = directoryWith({ 'flow.dot': flow, 'flow.test.yaml': failing });
    const { status, stdout } = await attractor(['test', '--mutate'], { cwd });
    expect(status).toBe(1);
    expect(stdout).toContain('1 failed');
  });
});

describe('attractor test --from-run', () => {
  test('adds a case in which happens what has happened', async () => {
    const real = flow
      .replace(', llm_model="claude-sonnet-4-5"', '')
      .replace('"./check"', '"test -e done || { touch done; echo red; exit 1; }"')
      .replace('plan [', 'ask [shape=hexagon]\n  plan [')
      .replace('check -> exit [', 'ask -> exit [label="Yes"]\n  ask -> plan [label="No"]\n  check -> ask [');
    const cwd = directoryWith({ 'flow.dot': real });
    const run = ['run', 'flow.dot', '--provider', 'simulated', '--run-dir', 'r', '--answer', 'ask=Y'];
    await attractor(run, { cwd });
    const { status, stdout, stderr } = await attractor(['test', '--from-run', 'r'], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^flow\.test\.yaml: added the case "run \S+"\n$/);
    const text = readFileSync(path.join(cwd, 'flow.test.yaml'), 'utf8');
    expect(text).toContain('path: [ start, plan, check, plan, check, ask, exit ]');
    expect(text).toContain('failure_reason: ');
    expect(text).toContain('answers: { ask: [ Y ] }');
    expect((await attractor(['test'], { cwd })).stdout).toContain('1 passed');
    expect(await attractor(['test', '--from-run', 'r'], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('already'),
    });
  });

  test('refuses a run of another pipeline', async () => {
    const other = 'digraph other { start [shape=Mdiamond] exit [shape=Msquare] start -> exit }';
    const cwd = directoryWith({ 'flow.dot': flow, 'other.dot': other });
    await attractor(['run', 'other.dot', '--run-dir', 'r'], { cwd });
    expect(await attractor(['test', '--from-run', 'r', 'flow.dot'], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is one of the pipeline "other", but flow.dot has the pipeline "flow"'),
    });
  });
});
