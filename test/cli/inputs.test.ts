import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { attractor } from './attractor.js';

const pipeline = `digraph typed {
  graph [inputs="version: string, sha: string = 1e5, limit: integer = 10, tags: list?", on_failure=stop]
  node [timeout="60s"]
  start [shape=Mdiamond]; done [shape=Msquare]
  show [shape=parallelogram, tool_command="echo \${inputs.version} \${inputs.sha} \${inputs.limit} \${inputs.tags}"]
  start -> show -> done
}
`;

const inputsOf = (stdout: string): unknown => {
  const { context } = JSON.parse(stdout);
  return [context['inputs.version'], context['inputs.sha'], context['inputs.limit'], context['inputs.tags']];
};

describe('101: inputs on the command line', () => {
  test('are read by the types that the pipeline declares', async () => {
    const cwd = directoryWith({ 'p.dot': pipeline });
    const args = [
      'run',
      'p.dot',
      '--json',
      '--set',
      'version=1.10',
      '--set',
      'limit=3',
      '--set',
      'tags=["a"]',
    ];
    const { status, stdout } = await attractor(args, { cwd });
    expect(status).toBe(0);
    expect(inputsOf(stdout)).toEqual(['1.10', '1e5', 3, ['a']]);
  });

  test.each([
    ['inputs.json', '{"version": "2", "limit": 3.0}', ['2', '1e5', 4, null]],
    ['inputs.yaml', 'version: "2"\ntags: [x]\n', ['2', '1e5', 4, ['x']]],
  ])('come from a file (%s), and --set overrides it', async (file, text, wanted) => {
    const cwd = directoryWith({ 'p.dot': pipeline, [file]: text });
    const { status, stdout } = await attractor(
      ['run', 'p.dot', '--json', '--inputs', file, '--set', 'limit=4'],
      { cwd },
    );
    expect(status).toBe(0);
    expect(inputsOf(stdout)).toEqual(wanted);
  });

  test.each<readonly [name: string, files: Record<string, string>, args: readonly string[], message: string]>(
    [
      ['a missing one', {}, [], 'input "version": expected a string, but it is not given'],
      [
        'a wrong one',
        {},
        ['--set', 'version=1', '--set', 'limit=ten'],
        'input "limit": expected an integer, found "ten"',
      ],
      [
        'an unknown one',
        {},
        ['--set', 'version=1', '--set', 'verson=1'],
        'input "verson": not declared (did you mean "version"?)',
      ],
      [
        'a value of a file of the wrong type',
        { 'i.yaml': 'version: 1.10' },
        ['--inputs', 'i.yaml'],
        'input "version": expected a string, found 1.1',
      ],
      [
        'a file that is not there',
        {},
        ['--inputs', 'i.json'],
        'cannot read the inputs i.json: it does not exist',
      ],
      [
        'a file without names',
        { 'i.json': '[1]' },
        ['--inputs', 'i.json'],
        'i.json has no names of inputs; expected a map of names to values',
      ],
      [
        'a file that is not JSON or YAML',
        { 'i.json': '{"a": ]' },
        ['--inputs', 'i.json'],
        'the inputs i.json is neither JSON nor YAML: Flow map must end with a } at line 1, column 7\n',
      ],
    ],
  )('%s is refused before anything is created', async (_name, files, args, message) => {
    const cwd = directoryWith({ 'p.dot': pipeline, ...files });
    const { status, stderr } = await attractor(['run', 'p.dot', ...args], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(existsSync(path.join(cwd, '.attractor'))).toBe(false);
  });

  test('one that may be missing is null, which --strict-values accepts', async () => {
    const dot = `digraph p { graph [inputs="token: string?"] start [shape=Mdiamond]; done [shape=Msquare]
      say [shape=parallelogram, tool_command="echo [\${inputs.token}]"]; start -> say -> done }`;
    const cwd = directoryWith({ 'p.dot': dot });
    const { status, stderr } = await attractor(['run', 'p.dot', '--strict-values', '--run-dir', 'r'], {
      cwd,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(path.join(cwd, 'r/say/stdout.log'), 'utf8')).toBe('[]\n');
  });

  test('are read by their types when a run is resumed', async () => {
    const cwd = directoryWith({ 'p.dot': pipeline });
    await attractor(['run', 'p.dot', '--set', 'version=1', '--run-dir', 'r'], { cwd });
    const { status, stdout } = await attractor(
      ['resume', 'r', '--from', 'show', '--set', 'version=1.10', '--json'],
      { cwd },
    );
    expect(status).toBe(0);
    expect(inputsOf(stdout)).toEqual(['1.10', '1e5', 10, null]);
  });
});

test.each([
  [
    'graph [inputs="version: string, channel: beta|stable = beta, tags: list?", env_requires="DEPLOY_TOKEN", goal="Ship it"]',
    `typed · pipeline, p.dot

Ship it

Inputs
  version  string, required
  channel  beta|stable, default "beta"
  tags     list, optional

Environment
  $DEPLOY_TOKEN  must be set

Run
  attractor run p.dot --set version=STRING
`,
  ],
  [
    'graph [inputs=""]',
    'typed · pipeline, p.dot\n\nThe pipeline takes no inputs.\n\nRun\n  attractor run p.dot\n',
  ],
])('101: explain shows what a pipeline needs: %s', async (attributes, wanted) => {
  const cwd = directoryWith({
    'p.dot': `digraph typed { ${attributes}; start [shape=Mdiamond]; done [shape=Msquare]; start -> done }`,
  });
  const { status, stdout } = await attractor(['explain', 'p.dot'], { cwd });
  expect(status).toBe(0);
  expect(stdout).toBe(wanted);
});
