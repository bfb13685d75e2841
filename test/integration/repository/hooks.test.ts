import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { root } from '../../docs/markdown.js';
import { directoryWith } from '../../support/directory-with.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { buildBundle } from '../docs/built.js';

beforeAll(buildBundle);

const bin = path.join(root, 'bin/attractor.js');
const good = 'digraph g {\n    start [shape=Mdiamond]\n    done [shape=Msquare]\n    start -> done\n}\n';
const bad = good.replace('-> done', '-> doen');
const untidy = good.replaceAll('    ', '');
const passes = 'cases:\n  - name: works\n    expect: { status: success }\n';

/** Runs a program as a job or a hook does: with a path on which `npx` is the built command line. */
function run(cwd: string, call: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}) {
  const path_ = temporaryDirectory();
  const link = (name: string, text: string) => {
    writeFileSync(path.join(path_, name), `#!/bin/sh\n${text}\n`);
    chmodSync(path.join(path_, name), 0o755);
  };
  // npx --yes attractor-dot@VERSION …
  link(
    'npx',
    `[ "$1 $2" = "--yes attractor-dot@0.2.0" ] || exit 99; shift 2; exec "${process.execPath}" "${bin}" "$@"`,
  );
  const [program, ...args] = call;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env, PATH: `${path_}:${process.env.PATH}` },
  });
  return { status, stdout, stderr };
}

describe('.pre-commit-hooks.yaml', () => {
  const hooks = z
    .array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        entry: z.string(),
        args: z.array(z.string()).default([]),
        language: z.literal('system'),
        files: z.string(),
        require_serial: z.boolean().optional(),
        pass_filenames: z.boolean().default(true),
      }),
    )
    .parse(parse(readFileSync(path.join(root, '.pre-commit-hooks.yaml'), 'utf8')));

  /** What pre-commit does with the files of a commit. */
  function hook(id: string, files: Readonly<Record<string, string>>) {
    const found = hooks.find((one) => one.id === id);
    if (found === undefined) throw new Error(`no hook ${id}`);
    const names = Object.keys(files).filter((name) => new RegExp(found.files).test(name));
    const [program = '', ...words] = found.entry.split(' ');
    const cwd = directoryWith(files);
    const given = found.pass_filenames ? names : [];
    return { cwd, names, ...run(cwd, [program, ...words, ...found.args, ...given]) };
  }

  const hostile = [
    '--fix.dot',
    '-.dot',
    '$(touch owned).dot',
    'a\'b"c.dot',
    'two\nlines.dot',
    'glob[ab]*.dot',
  ];

  test.each([
    { id: 'attractor-lint', files: { 'a.dot': good, 'not.md': '' }, status: 0 },
    { id: 'attractor-lint', files: { 'a.dot': good, 'flows/b.dot': bad }, status: 1 },
    { id: 'attractor-lint', files: Object.fromEntries(hostile.map((name) => [name, good])), status: 0 },
    { id: 'attractor-lint', files: Object.fromEntries(hostile.map((name) => [name, bad])), status: 1 },
    { id: 'attractor-fmt', files: { 'a.dot': good }, status: 0 },
    { id: 'attractor-fmt', files: { 'a.dot': 'digraph {' }, status: 1 },
    { id: 'attractor-test', files: { 'a.dot': good, 'a.test.yaml': passes }, status: 0 },
    {
      id: 'attractor-test',
      files: { 'a.dot': good, 'a.test.yaml': passes.replace('success', 'fail') },
      status: 1,
    },
  ])('$id exits with $status', ({ id, files, status }) => {
    const result = hook(id, files);
    expect({ status: result.status, stderr: result.stderr }).toMatchObject({ status });
    expect(readdirSync(result.cwd)).not.toContain('owned');
  });

  test('attractor-fmt writes, by which pre-commit sees that it failed', () => {
    const { status, cwd, names } = hook(
      'attractor-fmt',
      Object.fromEntries(hostile.map((name) => [name, untidy])),
    );
    expect(status).toBe(0);
    for (const name of names) expect(readFileSync(path.join(cwd, name), 'utf8')).toBe(good);
  });
});

describe('templates/attractor.yml', () => {
  const [head, body] = parseAllDocuments(
    readFileSync(path.join(root, 'templates/attractor.yml'), 'utf8'),
  ).map((document) => document.toJS());

  /** What GitLab does: fills inputs into the text of the jobs, and runs their lines until one fails. */
  function job(
    name: string,
    inputs: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>>,
  ) {
    const cwd = directoryWith(files);
    const variables = Object.entries<string>(body['.attractor'].variables).map(([key, value]) => [
      key,
      value.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, input) =>
        String(inputs[input] ?? head.spec.inputs[input].default),
      ),
    ]);
    const script = body[name].script.join('\n');
    expect(script).not.toContain('$[[');
    const result = run(cwd, ['bash', '-e', '-c', script], {
      ...Object.fromEntries(variables),
      CI_PROJECT_DIR: cwd,
    });
    return { cwd, ...result };
  }

  test('lint writes a Code Quality report, and fails with an error', () => {
    const { cwd, status } = job('attractor-lint', { pipelines: './flows' }, { 'flows/a b.dot': bad });
    expect(status).toBe(1);
    const [report] = Object.values<string>(body['attractor-lint'].artifacts.reports);
    const issues = JSON.parse(readFileSync(path.join(cwd, report ?? ''), 'utf8'));
    expect(issues).toContainEqual({
      description: expect.stringContaining('"doen", which is not a node'),
      check_name: 'edge_target_exists',
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      severity: 'major',
      location: { path: 'flows/a b.dot', lines: { begin: 4, end: 4 } },
    });
  });

  test('lint and format pass, and format fails', () => {
    expect(job('attractor-lint', {}, { 'a.dot': good }).status).toBe(0);
    expect(job('attractor-lint', {}, { 'a.dot': untidy }).status).toBe(1);
  });

  test.each(['"; touch owned; "', '$(touch owned)', '--fix'])('an input %j is data', (pipelines) => {
    const { cwd, status } = job('attractor-lint', { pipelines }, { 'a.dot': untidy });
    expect(status).toBe(2);
    expect(existsSync(path.join(cwd, 'owned'))).toBe(false);
    expect(readFileSync(path.join(cwd, 'a.dot'), 'utf8')).toBe(untidy);
  });

  test('tests write a report of JUnit', () => {
    const { cwd, status } = job('attractor-test', {}, { 'a.dot': good, 'a.test.yaml': passes });
    expect(status).toBe(0);
    const [report] = Object.values<string>(body['attractor-test'].artifacts.reports);
    expect(readFileSync(path.join(cwd, report ?? ''), 'utf8')).toMatch(/<testcase [^>]*name="works"/);
  });
});

test('every version that a file here installs is that of the package', () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const file of ['Dockerfile', 'action.yml', 'templates/attractor.yml', '.pre-commit-hooks.yaml']) {
    const text = readFileSync(path.join(root, file), 'utf8');
    const named = [...text.matchAll(/# renovate: datasource=npm depName=attractor-dot\n.*?(\d+\.\d+\.\d+)/g)];
    expect(named.length, file).toBeGreaterThan(0);
    expect(new Set(named.map(([, one]) => one)), file).toEqual(new Set([version]));
  }
});

describe('scripts/check-repository.mjs', () => {
  const check = (more: Readonly<Record<string, string>>) => {
    const kept = ['Dockerfile', 'action.yml'].map((name) => [
      name,
      readFileSync(path.join(root, name), 'utf8'),
    ]);
    const cwd = directoryWith({ ...Object.fromEntries(kept), ...more });
    return run(cwd, [process.execPath, path.join(root, 'scripts/check-repository.mjs'), cwd]);
  };
  const workflow = (step: string) =>
    `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ${step}\n`;

  test('has nothing to say of this repository', () => {
    const { status, stderr } = run(root, [process.execPath, 'scripts/check-repository.mjs']);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stderr).toMatch(/repository: 1 workflow\(s\), [3-9] examples of workflows/);
  });

  const pinned = `actions/checkout@${'a'.repeat(40)}`;
  test.each<[what: string, files: Readonly<Record<string, string>>, message: string]>([
    [
      'a title in a script',
      { '.github/workflows/x.yml': workflow('run: echo ${{ github.event.issue.title }}') },
      'x.yml:6:23: "github.event.issue.title" is potentially untrusted',
    ],
    ['an unknown key', { '.github/workflows/x.yml': workflow('rum: echo') }, 'x.yml:6:9: '],
    [
      'a tag',
      { '.github/workflows/x.yml': workflow('uses: actions/checkout@v4') },
      'x.yml:6: actions/checkout@v4 is not pinned',
    ],
    [
      'no version',
      { '.github/workflows/x.yml': workflow(`uses: ${pinned}`) },
      'is not pinned to a commit, with its version',
    ],
    [
      'an unknown input',
      { '.github/workflows/x.yml': workflow('{ uses: ./, with: { lnit: . } }') },
      'action.yml has no input "lnit"',
    ],
    [
      'an example of the documentation',
      { 'docs/x.md': '# X\n\n```yaml\njobs:\n  a:\n    steps: []\n```\n' },
      'docs/x.md:5:',
    ],
    ['a Dockerfile', { Dockerfile: 'FROM node\nRUM true\n' }, 'Dockerfile:2:1: Unknown instruction: RUM'],
  ])('finds %s', (_, files, message) => {
    const { status, stderr } = check(files);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
  });
});
