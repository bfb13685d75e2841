import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../docs/markdown.js';
import { directoryWith } from '../../support/directory-with.js';
import { packageRegistry, packPackage } from '../../support/package-registry.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { waitFor } from '../../support/wait-for.js';
import { buildBundle } from '../docs/built.js';
import { action, type Job, runAction } from './composite-action.js';

beforeAll(buildBundle);

const executable = path.join(root, 'bin/attractor.js');
const job = (workspace: string, more: Partial<Job> = {}): Job => ({
  workspace,
  artifacts: new Map(),
  ...more,
});

const good = `digraph g {
    start [shape=Mdiamond]
    work  [shape=parallelogram, tool_command="echo worked"]
    done  [shape=Msquare]
    start -> work -> done
}
`;
const bad = good.replace('work -> done', 'work -> doen');
const gate = `digraph release {
    start   [shape=Mdiamond]
    build   [shape=parallelogram, tool_command="echo built"]
    approve [shape=hexagon, label="Publish?"]
    publish [shape=parallelogram, tool_command="echo published > published.txt"]
    done    [shape=Msquare]
    start -> build -> approve
    approve -> publish [label="[Y] Yes"]
    approve -> done    [label="[N] No"]
    publish -> done
}
`;
const cases = `cases:
  - name: works
    expect: { status: success, path: [start, work, done] }
  - name: "::error::<b>never</b> ends"
    expect: { status: fail }
`;

/** Names that a shell, a runner or an option parser would take for something else. */
const hostileNames = [
  '-rf.dot',
  '$(touch owned).dot',
  '`touch owned`; touch owned #.dot',
  'it\'s a "name" & <b>more.dot',
  '::error::owned.dot',
  'two\n::error::lines.dot',
  'a:b.dot',
];

function repository(files: Readonly<Record<string, string>>): {
  readonly directory: string;
  readonly base: string;
} {
  const directory = directoryWith(files);
  git(directory, 'init', '--quiet');
  return { directory, base: commit(directory) };
}

function commit(directory: string): string {
  git(directory, 'add', '--all');
  git(directory, '-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'c');
  return git(directory, 'rev-parse', 'HEAD').trim();
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
}

/** Lines that a runner obeys: those outside of a stretch in which it obeys nothing. */
function commandsIn(log: string): readonly string[] {
  let stopped: string | undefined;
  return log.split('\n').flatMap((line) => {
    const [, mark] = /^::stop-commands::(.+)$/.exec(line) ?? [];
    if (stopped === undefined && mark !== undefined) {
      stopped = `::${mark}::`;
      return [];
    }
    if (line === stopped) stopped = undefined;
    else if (stopped === undefined && /^\s*::/.test(line)) return [line];
    return [];
  });
}

describe('action.yml', () => {
  test('has no expression in a script, and pins what it uses to a commit, with its version', () => {
    const text = readFileSync(path.join(root, 'action.yml'), 'utf8');
    for (const { run, uses } of action.runs.steps) {
      expect(run ?? '').not.toContain('${{');
      if (uses !== undefined) expect(text).toMatch(new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+\n`));
      expect(uses ?? 'a/b@'.padEnd(44, '0')).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    }
  });

  test('installs the version of this repository, and every input is used', () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const text = readFileSync(path.join(root, 'action.yml'), 'utf8');
    expect(action.inputs.version?.default).toBe(version);
    const unused = Object.keys(action.inputs).filter(
      (name) => !new RegExp(`inputs\\.${name}\\b(?!-)`).test(text),
    );
    expect(unused).toEqual([]);
  });
});

test('the version is installed from the registry, whatever the repository says about npm', async () => {
  const packed = packPackage(root, temporaryDirectory());
  const registry = await packageRegistry([packed], temporaryDirectory());
  const workspace = directoryWith({
    'p.dot': good,
    '.npmrc': 'registry=http://127.0.0.1:1/\n',
    'package.json': '{"dependencies":{"attractor-dot":"file:./evil"}}',
  });
  const { isSuccess, log, steps } = await runAction({ lint: 'p.dot' }, job(workspace, { env: registry }));
  expect({ isSuccess, log }).toMatchObject({ isSuccess: true });
  expect(steps).toEqual(['setup', 'lint']);
  expect(existsSync(path.join(workspace, 'node_modules'))).toBe(false);
});

test.each(['file:./evil', '0.2.0 --registry=http://127.0.0.1:1', '../evil', 'npm:evil@1'])(
  'a version that names another place is refused: %s',
  async (version) => {
    const { isSuccess, log, steps } = await runAction({ version, lint: '.' }, job(directoryWith({})));
    expect(isSuccess).toBe(false);
    expect(steps).toEqual(['setup']);
    expect(log).toBe('::error title=attractor::version is no version of attractor-dot, such as 0.2.0\n');
  },
);

describe('lint, format and test', () => {
  test('findings are annotations, and do not hide failed tests; nothing runs then', async () => {
    const workspace = directoryWith({
      'flows/bad one.dot': bad,
      'flows/good.dot': good,
      'flows/good.test.yaml': cases,
    });
    const result = await runAction(
      { executable, lint: 'flows/*.dot', format: 'flows', test: '\n  \nflows\r\n', run: 'flows/good.dot' },
      job(workspace),
    );
    expect(result.isSuccess).toBe(false);
    expect(result.steps).toEqual(['setup', 'lint', 'format', 'test']);
    const errors = commandsIn(result.log).filter((line) => line.startsWith('::error '));
    expect(errors).toContainEqual(
      expect.stringMatching(/^::error file=flows\/bad one\.dot,line=5,.*"doen", which is not a node/),
    );
    expect(result.log).toContain('1 failed');
    expect(result.summary).toContain('### Tests of pipelines\n\n<pre>');
    expect(result.summary).toContain('::error::&lt;b&gt;never&lt;/b&gt; ends');
    expect(result.summary).toMatch(/flows\/good\.dot .*100/);
    expect(readFileSync(result.outputs.coverage ?? '', 'utf8')).toMatch(
      /^TN:[\s\S]*SF:.*good\.dot\n[\s\S]*end_of_record/,
    );
  });

  test('warnings fail where they are counted', async () => {
    const workspace = directoryWith({
      'w.dot': readFileSync(path.join(root, 'fixtures/lint/condition_exhaustive/bad.dot')),
    });
    const passed = await runAction({ executable, lint: '.' }, job(workspace));
    const counted = await runAction({ executable, lint: '.', 'max-warnings': '0' }, job(workspace));
    expect([passed.isSuccess, counted.isSuccess]).toEqual([true, false]);
    expect(commandsIn(passed.log)).toContainEqual(
      expect.stringMatching(/^::warning file=w\.dot,.*title=condition_exhaustive/),
    );
  });

  test.each(hostileNames)('a file named %j is a file', async (name) => {
    const workspace = directoryWith({ [name]: bad });
    const { log, isSuccess } = await runAction(
      { executable, lint: '.', format: '.', test: '.' },
      job(workspace),
    );
    expect(isSuccess).toBe(false);
    expect(commandsIn(log).filter((line) => !/^::error file=[^:]*,line=5,/.test(line))).toEqual([]);
    expect(readdirSync(workspace)).toEqual([name]);
  });

  test.each(['$(touch owned)', '"; touch owned; "', '--fix', '--plugin=./p.mjs', "' || touch owned #"])(
    'an input %j is data',
    async (text) => {
      const workspace = directoryWith({
        'p.dot': good,
        'p.mjs': 'import fs from "node:fs"; fs.writeFileSync("owned", "")',
      });
      const inputs = { lint: text, format: text, test: text, diff: text, base: text, 'max-warnings': text };
      const { isSuccess } = await runAction({ executable, ...inputs }, job(workspace));
      const ran = await runAction({ executable, run: text, 'run-directory': text }, job(workspace));
      expect([isSuccess, ran.isSuccess]).toEqual([false, false]);
      expect(ran.outputs.status).toBe('error');
      expect(existsSync(path.join(workspace, 'owned'))).toBe(false);
    },
  );
});

describe('diff', () => {
  const changed = good.replace('echo worked', 'echo done');

  test('every pipeline whose meaning differs is in the comment, with what was added, removed and renamed', async () => {
    const { directory, base } = repository({
      'a.dot': good,
      'same.dot': good,
      'gone.dot': gate,
      'old.dot': `// moves\n${gate}`,
      'asks.dot': good.replace('shape=parallelogram, tool_command="echo worked"', 'prompt_file="ask.md"'),
      'ask.md': 'Say hello.',
      'broken.dot': good,
    });
    git(directory, 'mv', 'old.dot', 'new name.dot');
    rmSync(path.join(directory, 'gone.dot'));
    for (const [name, text] of Object.entries({
      'a.dot': changed,
      'same.dot': `// a comment\n${good}`,
      'ask.md': 'Say goodbye.',
      'broken.dot': 'digraph {',
      'added.dot': good.replace('digraph g', 'digraph other'),
    }))
      writeFileSync(path.join(directory, name), text);
    commit(directory);
    const { isSuccess, outputs, log, summary } = await runAction(
      { executable, diff: '*.dot', base },
      job(directory),
    );
    expect({ isSuccess, log }).toMatchObject({ isSuccess: true });
    const comment = readFileSync(outputs.comment ?? '', 'utf8');
    expect(comment.split('\n')[0]).toBe('<!-- attractor-dot diff -->');
    expect(comment).toContain(summary.trim());
    expect(
      comment
        .match(/^###.*/gm)
        ?.map((line) => line.replaceAll(/[0-9a-f]{7,}/g, 'BASE'))
        .sort(),
    ).toEqual([
      '### <code>added.dot</code>',
      '### <code>broken.dot</code>',
      '### <code>gone.dot</code>',
      '### <code>old.dot</code> → <code>new name.dot</code>',
      '### BASE:a.dot → a.dot',
      '### BASE:asks.dot → asks.dot',
    ]);
    expect(comment).toContain('~~echo worked~~ → **echo done**');
    expect(comment).toContain('~~Say hello.~~ → **Say goodbye.**');
    expect(outputs.changed).toBe('true');
  });

  test('nothing has changed', async () => {
    const { directory, base } = repository({ 'a.dot': good });
    const { outputs } = await runAction({ executable, diff: '*.dot', base }, job(directory));
    expect(outputs.changed).toBe('false');
    expect(readFileSync(outputs.comment ?? '', 'utf8')).toContain('No pipeline has changed in meaning.');
  });

  test('the base of a checkout with one commit is fetched; an unknown one is said', async () => {
    const { directory, base } = repository({ 'a.dot': good });
    writeFileSync(path.join(directory, 'a.dot'), changed);
    commit(directory);
    git(directory, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const clone = path.join(temporaryDirectory(), 'clone');
    git(directory, 'clone', '--quiet', '--depth=1', `file://${directory}`, clone);
    const github = { event: { pull_request: { base: { sha: base } } } };
    const { outputs } = await runAction({ executable, diff: '*.dot' }, job(clone, { github }));
    expect(outputs.changed).toBe('true');
    const unknown = await runAction({ executable, diff: '*.dot', base: 'no-such-branch' }, job(clone));
    expect(unknown.isSuccess).toBe(false);
    expect(unknown.log).toContain('::error title=attractor::the base revision is neither here nor at origin');
    const none = await runAction({ executable, diff: '*.dot' }, job(clone));
    expect(none.log).toContain('::error title=attractor::there is no base revision to compare with');
  });

  test('a comment has no more than GitHub takes; the summary has all', async () => {
    const stages = Array.from({ length: 1600 }, (_, place) => `work -> s${place} -> done\n`).join('');
    const { directory, base } = repository({ 'a.dot': good, 'z.dot': good });
    writeFileSync(path.join(directory, 'a.dot'), good.replace('work -> done', stages));
    writeFileSync(path.join(directory, 'z.dot'), changed);
    const { outputs, summary } = await runAction({ executable, diff: '*.dot', base }, job(directory));
    const comment = readFileSync(outputs.comment ?? '', 'utf8');
    expect(summary.length).toBeGreaterThan(65_536);
    expect(comment.length).toBeLessThan(65_536);
    expect(comment).toContain('z.dot');
    expect(comment).toContain('1 more in the summary of the job');
  });

  test('hostile names are compared, and neither obeyed nor markup', async () => {
    const files = Object.fromEntries(hostileNames.map((name) => [name, good]));
    const { directory, base } = repository(files);
    for (const [place, name] of hostileNames.entries())
      if (place % 2 === 0) writeFileSync(path.join(directory, name), changed);
      else rmSync(path.join(directory, name));
    const { isSuccess, outputs, log } = await runAction({ executable, diff: '*.dot', base }, job(directory));
    expect({ isSuccess, commands: commandsIn(log) }).toEqual({ isSuccess: true, commands: [] });
    const comment = readFileSync(outputs.comment ?? '', 'utf8');
    expect(comment.match(/^###/gm)).toHaveLength(hostileNames.length);
    expect(comment).not.toContain('<b>');
    expect(existsSync(path.join(directory, 'owned'))).toBe(false);
  });
});

interface FailingRun {
  readonly name: string;
  readonly text: string;
  readonly status: string;
  readonly code: string;
  readonly more: Readonly<Record<string, string>>;
}

describe('run and resume', () => {
  const runDirectory = 'a run';

  test('a run that waits leaves an artifact, with which another job resumes it', async () => {
    const artifacts = new Map<string, string>();
    const first = job(directoryWith({ 'flows/release.dot': gate }), { artifacts });
    const inputs = {
      executable,
      'working-directory': 'flows',
      'run-directory': runDirectory,
      artifact: 'release',
    };
    const waits = await runAction({ ...inputs, run: 'release.dot' }, first);
    expect(waits).toMatchObject({
      isSuccess: true,
      outputs: {
        status: 'waiting',
        'exit-code': '3',
        'run-directory': path.join(first.workspace, 'flows', runDirectory),
      },
      steps: ['setup', 'run', 'actions/upload-artifact'],
    });
    expect(waits.summary).toContain('### release: ‖ paused');
    expect(commandsIn(waits.log)).toContainEqual(
      expect.stringMatching(/^::notice .*The run waits for an answer/),
    );

    // Another machine, where jobs have the same place.
    rmSync(path.join(first.workspace, 'flows', runDirectory), { recursive: true });
    const resumed = await runAction({ ...inputs, resume: 'true', arguments: '--answer=approve=Yes' }, first);
    expect(resumed).toMatchObject({
      isSuccess: true,
      outputs: { status: 'success', 'exit-code': '0' },
      steps: ['setup', 'actions/download-artifact', 'run', 'actions/upload-artifact'],
    });
    expect(existsSync(path.join(first.workspace, 'flows/published.txt'))).toBe(true);
    expect(resumed.log).not.toContain('✔ build');
  });

  test.each<FailingRun>([
    { name: 'fails', text: good.replace('echo worked', 'exit 7'), status: 'failed', code: '1', more: {} },
    {
      name: 'waits where that is a failure',
      text: gate,
      status: 'waiting',
      code: '3',
      more: { 'fail-when-waiting': 'true' },
    },
    { name: 'has no pipeline', text: good, status: 'error', code: '2', more: { run: 'q.dot' } },
  ])('a run that $name fails the step', async ({ text, status, code, more }) => {
    const { isSuccess, outputs } = await runAction(
      { executable, run: 'p.dot', ...more },
      job(directoryWith({ 'p.dot': text })),
    );
    expect({ isSuccess, ...outputs }).toMatchObject({ isSuccess: false, status, 'exit-code': code });
  });

  test('a job that is cancelled interrupts the run, which another one resumes', async () => {
    const slow = good.replace('echo worked', 'echo begun > begun; test -e again || exec sleep 600');
    const artifacts = new Map<string, string>();
    const workspace = directoryWith({ 'p.dot': slow });
    const cancelled = await runAction(
      { executable, run: 'p.dot', artifact: 'run' },
      job(workspace, {
        artifacts,
        onStart: (child, { id }) => {
          if (id !== 'run') return;
          const hasBegun = () => existsSync(path.join(workspace, 'begun'));
          void waitFor('the stage', hasBegun).then(() => child.kill('SIGINT'));
        },
      }),
    );
    expect(cancelled.outputs).toMatchObject({ status: 'interrupted', 'exit-code': '130' });
    rmSync(path.join(workspace, '.attractor'), { recursive: true });
    writeFileSync(path.join(workspace, 'again'), '');
    const resumed = await runAction(
      { executable, resume: 'true', artifact: 'run' },
      job(workspace, { artifacts }),
    );
    expect(resumed).toMatchObject({ isSuccess: true, outputs: { status: 'success' } });
  });
});
