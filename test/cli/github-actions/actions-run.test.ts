import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../../support/directory-with.js';
import { attractor, type Finished } from '../attractor.js';

interface Job extends Finished {
  readonly lines: readonly string[];
  readonly summary: string;
}

/** Runs a pipeline as a step of a job does, in a folder of its repository. */
async function job(
  dot: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Job> {
  const root = directoryWith({ 'flows/p.dot': dot });
  const summaryFile = path.join(root, 'summary.md');
  const finished = await attractor(['run', 'p.dot', '--run-dir', 'r', ...args], {
    cwd: path.join(root, 'flows'),
    env: {
      GITHUB_ACTIONS: 'true',
      CI: 'true',
      GITHUB_WORKSPACE: root,
      GITHUB_STEP_SUMMARY: summaryFile,
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_SHA: 'abc123',
      ...env,
    },
  });
  const timeless = (text: string) => text.replaceAll(/ +\d+(?:\.\d+)?m?s\b/g, ' …');
  return {
    ...finished,
    lines: timeless(finished.stdout).split('\n'),
    summary: existsSync(summaryFile) ? timeless(readFileSync(summaryFile, 'utf8')) : '',
  };
}

const around = (...statements: readonly string[]) =>
  `digraph p {\n  start [shape=Mdiamond]; end [shape=Msquare]; node [shape=parallelogram]\n  ${statements.join('\n  ')}\n}`;

const commandsIn = (lines: readonly string[]) => lines.filter((line) => line.trimStart().startsWith('::'));

describe('in a job of GitHub Actions', () => {
  test('a stage that has printed something has a group', async () => {
    const { lines, status } = await job(
      around(
        'a [tool_command="echo one; echo two"]',
        'quiet [tool_command="true"]',
        'start -> a -> quiet -> end',
      ),
    );
    expect(status).toBe(0);
    expect(lines.slice(0, 7)).toEqual([
      'p',
      '::group::✔ a      tool …',
      'one',
      'two',
      '::endgroup::',
      '✔ quiet  tool …',
      '',
    ]);
    expect(commandsIn(lines)).toHaveLength(2);
  });

  test('groups of parallel branches do not mix', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const { lines } = await job(
      around(
        'fan [shape=component]; join [shape=tripleoctagon]',
        ...names.map(
          (name) =>
            `${name} [tool_command="for i in 1 2 3; do echo ${name}$i; sleep 0.01; done"]; fan -> ${name} -> join`,
        ),
        'start -> fan; join -> end',
      ),
    );
    const groups = lines.join('\n').split('::group::').slice(1);
    expect(groups).toHaveLength(4);
    for (const group of groups) {
      const [title = '', ...inside] = group.slice(0, group.indexOf('::endgroup::')).trimEnd().split('\n');
      const [, name] = /^✔ (\w)/.exec(title) ?? [];
      expect(inside).toEqual([`${name}1`, `${name}2`, `${name}3`]);
    }
  });

  test('a failure is shown, and stands at its node', async () => {
    const { lines, summary } = await job(
      around('a [tool_command="seq 1 143; echo 100% red >&2; exit 1"]', 'start -> a -> end'),
    );
    expect(lines).toContain('✖ a      tool …  exit code 1: 100% red');
    expect(lines).toContain('    full output: r/a/stdout.log (143 lines)');
    expect(lines).toContain('    │ 143');
    // Of which the end is outside of the group too.
    expect(lines.find((line) => line.startsWith('::group::'))).toBe(
      '::group::Output of ✖ a      tool …  exit code 1: 100%25 red',
    );
    const [error = '', ...others] = lines.filter((line) => line.startsWith('::error'));
    expect(error).toMatch(
      /^::error file=flows\/p\.dot,line=3,col=3,title=Stage "a" failed::exit code 1: 100%25 red%0Astandard output:%0A1%0A/,
    );
    expect(others).toEqual([]);
    expect(summary).toContain('### p: ✖ failed\n');
    expect(summary).toContain('<pre>exit code 1&#58; 100&#37; red&#10;standard output&#58;&#10;1&#10;');
    expect(summary).toContain(
      '| [a](https://github.com/acme/shop/blob/abc123/flows/p.dot#L3) | ✖ failed | … |  | <code>r/a</code> |\n',
    );
  });

  test('a failure that the run has survived is a warning, one that was repaired nothing', async () => {
    const repaired = around(
      'a [tool_command="test -f done || { touch done; exit 1; }", max_retries=1]',
      'start -> a -> end',
    );
    expect(commandsIn((await job(repaired)).lines)).toEqual([]);
    const survived = around(
      'fan [shape=component, error_policy=continue]; join [shape=tripleoctagon]',
      'a [tool_command="exit 1"]; b [tool_command="true"]',
      'start -> fan; fan -> a -> join; fan -> b -> join; join -> end',
    );
    const { lines, summary } = await job(survived);
    expect(commandsIn(lines)).toEqual([
      '::warning file=flows/p.dot,line=4,col=3,title=Stage "a" failed::exit code 1',
    ]);
    expect(summary).toContain('### p: ✔ success, degraded\n');
  });

  test('a question that nobody answers is a notice', async () => {
    const { lines, summary, status } = await job(
      around(
        'ok [shape=hexagon, label="Publish?"]',
        'start -> ok; ok -> end [label="[Y] Yes"]; ok -> end [label="[N] No"]',
      ),
    );
    expect(status).toBe(3);
    expect(commandsIn(lines)).toEqual([
      '::notice file=flows/p.dot,line=3,col=3,title=The run waits for an answer::a question waits for an answer',
    ]);
    expect(summary).toContain('### p: ‖ paused\n');
  });

  const evil = String.raw`printf '::error::a\\n  ::add-mask::b\\n##[error]c\\n50%%\\r::warning::d\\n| <b>e</b> [f](javascript:g) \`h\`\\n'`;

  test.each([[0], [1]])('nothing that a command prints is a workflow command (exit %d)', async (status) => {
    const { stdout, stderr, summary } = await job(
      around(`a [tool_command="${evil}; printf '::error::i|<b>' >&2; exit ${status}"]`, 'start -> a -> end'),
      ['--verbose'],
    );
    const commands = `${stdout}\n${stderr}`.split(/[\r\n]+/).filter((line) => /^\s*::|##\[/.test(line));
    expect(commands.map((line) => line.replace(/^(::\w+).*/, '$1'))).toEqual(
      status === 0 ? ['::group', '::endgroup'] : ['::error'],
    );
    expect(summary).not.toMatch(/<b>|\]\(javascript|`/);
    for (const row of summary.split('\n').filter((line) => line.startsWith('|')))
      expect(row.split('|')).toHaveLength(7);
  });

  test('standard output stays what programs read', async () => {
    const dot = around('a [tool_command="echo \'##[error]x\'"]', 'start -> a -> end');
    const { stdout, stderr } = await job(dot, ['--json']);
    expect(JSON.parse(stdout).context['tool.output']).toBe('##[error]x\n');
    expect(stdout).not.toContain('##[');
    expect(stderr).toContain('::group::✔ a');
  });

  test('a summary that cannot be written is only noted', async () => {
    const { status, stdout } = await job(around('a [tool_command="true"]', 'start -> a -> end'), [], {
      GITHUB_STEP_SUMMARY: '/nowhere/summary.md',
    });
    expect(status).toBe(0);
    expect(stdout).toContain('! the step summary was not written: ');
  });

  test('secrets are hidden there too', async () => {
    const key = 'sk-ant-api03-verysecretverysecretverysecret';
    const { stdout, summary } = await job(
      around(
        'a [tool_command="echo $ANTHROPIC_API_KEY; echo $ANTHROPIC_API_KEY >&2; exit 1"]',
        'start -> a -> end',
      ),
      [],
      { ANTHROPIC_API_KEY: key },
    );
    expect(stdout + summary).not.toContain(key);
  });
});

test('elsewhere nothing of it is printed', async () => {
  const { lines, summary } = await job(
    around('a [tool_command="echo ::error::x"]', 'start -> a -> end'),
    [],
    { GITHUB_ACTIONS: '' },
  );
  expect(lines.slice(0, 3)).toEqual(['p', '✔ a      tool …', '']);
  expect(summary).toBe('');
});
