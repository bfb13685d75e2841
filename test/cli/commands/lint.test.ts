import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { sarifValidator } from '../../diagnostic/sarif-schema.js';
import { directoryWith } from '../../support/directory-with.js';
import { attractor, startAttractor } from '../attractor.js';

// `attractor lint` as its user meets it: files, formats, severities, and watching (DESIGN §5).

const good =
  'digraph good {\n  label=Good\n  start [shape=Mdiamond]\n  done [shape=Msquare]\n  start -> done\n}\n';
/** An LLM stage without a prompt: one warning. */
const warned = good.replace('start -> done', 'work\n  start -> work -> done');
/** A value that cannot be read: one error. */
const wrong = good.replace('label=Good', 'timeout=soon');

function project(files: Readonly<Record<string, string>> = {}): string {
  const directory = directoryWith({ 'good.dot': good, 'warned.dot': warned });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), text);
  }
  return directory;
}

describe('the files', () => {
  const files = { 'flows/a.dot': warned, 'flows/deep/b.dot': wrong, 'node_modules/p/c.dot': wrong };

  test('may be a directory or a pattern, and are checked once, in their order', async () => {
    const cwd = project(files);
    const calls = [['.'], ['**/*.dot'], ['./flows', 'flows/deep/*.dot', '*.dot']];
    for (const args of calls) {
      const { status, stdout } = await attractor(['lint', '--format', 'json', ...args], { cwd });
      const { diagnostics } = JSON.parse(stdout) as { diagnostics: { file: string }[] };
      expect([...new Set(diagnostics.map(({ file }) => file))]).toEqual([
        'flows/a.dot',
        'flows/deep/b.dot',
        'warned.dot',
      ]);
      expect(status).toBe(1);
    }
  });

  test('that are none are told, and the others are checked all the same', async () => {
    const cwd = project({ 'empty/notes.txt': '' });
    const { status, stdout, stderr } = await attractor(['lint', 'empty', '*.gv', 'nope.dot', 'good.dot'], {
      cwd,
    });
    expect(status).toBe(2);
    expect(stdout).toBe('✔ no problems in 1 file\n');
    expect(stderr).toContain('attractor: there is no .dot file below empty');
    expect(stderr).toContain('attractor: no file matches *.gv');
    expect(stderr).toContain('attractor: cannot read nope.dot');
  });
});

describe('a directory', () => {
  const drawing = 'graph Deps { a -- b [color=red] }\n';

  test.each<[what: string, files: Readonly<Record<string, string>>, problem: string]>([
    [
      'with DOT files of another name says how to name them',
      { 'flows/a.gv': '', 'flows/deep/b.gv': '', 'flows/1.txt': '', 'flows/2.txt': '', 'flows/3.txt': '' },
      'there is no .dot file below flows, but 2 .gv, 3 .txt; name such files by a pattern, as in "flows/**/*.gv"',
    ],
    [
      'with other files says which there are',
      { 'flows/1.txt': '', 'flows/2.md': '' },
      'there is no .dot file below flows, but 1 .txt, 1 .md; name the files that are pipelines, or another directory',
    ],
    [
      'with nothing says so',
      { 'flows/Makefile': '' },
      'there is no .dot file below flows; name a file, or another directory',
    ],
    [
      'with drawings of Graphviz alone says that they are none of ours',
      { 'flows/a.dot': drawing, 'flows/b.dot': drawing },
      'left out: flows/a.dot, flows/b.dot are Graphviz drawings, without a start, an exit or any attribute of a pipeline; name one to check it all the same',
    ],
  ])('%s', async (_, files, problem) => {
    const { status, stdout, stderr } = await attractor(['lint', 'flows'], { cwd: project(files) });
    expect([status, stdout, stderr]).toEqual([2, '', `attractor: ${problem}\n`]);
  });

  test('with a drawing beside pipelines leaves it out, and --fix leaves it alone', async () => {
    const cwd = project({ 'deps.dot': drawing });
    const { status, stdout, stderr } = await attractor(['lint', '--fix', '.'], { cwd });
    expect(stdout).toContain('1 warning in 2 files');
    expect(stderr).toContain('attractor: left out: deps.dot is a Graphviz drawing');
    expect(status).toBe(0);
    expect(readFileSync(path.join(cwd, 'deps.dot'), 'utf8')).toBe(drawing);
    const named = await attractor(['lint', 'deps.dot'], { cwd });
    expect(named.stdout).toContain('error[syntax/undirected_graph]');
  });
});

describe('the format', () => {
  test('sarif is valid, and its paths can be found from anywhere', async () => {
    const cwd = project({ 'flows/b.dot': wrong });
    const { status, stdout } = await attractor(['lint', '--format', 'sarif', '.'], { cwd });
    const log = JSON.parse(stdout);
    const validate = sarifValidator();
    expect([validate(log), validate.errors]).toEqual([true, null]);
    const [{ originalUriBaseIds, results }] = log.runs;
    expect(originalUriBaseIds.ROOT.uri).toBe(`file://${cwd}/`);
    expect(results.map((result: { ruleId: string }) => result.ruleId)).toEqual([
      'attribute_type',
      'prompt_on_llm_nodes',
    ]);
    expect(status).toBe(1);
  });

  test('sarif describes the rules of plugins', async () => {
    const plugin =
      'export default { name: "p", rules: [{ name: "house_rule", severity: "info", summary: "Mine.", *apply(graph) { yield { message: "seen", span: graph.nameSpan }; } }] };';
    const cwd = project({ 'p.mjs': plugin });
    const args = ['lint', '--format', 'sarif', '--plugin', './p.mjs', 'good.dot'];
    const { stdout } = await attractor(args, { cwd });
    expect(JSON.parse(stdout).runs[0].tool.driver.rules).toMatchObject([
      { id: 'house_rule', shortDescription: { text: 'Mine.' } },
    ]);
  });

  test('github names files from the root of the repository', async () => {
    const cwd = project();
    const env = { GITHUB_WORKSPACE: path.dirname(cwd) };
    const { stdout } = await attractor(['lint', '--format', 'github', 'warned.dot'], { cwd, env });
    expect(stdout).toMatch(
      new RegExp(`^::warning file=${path.basename(cwd)}/warned\\.dot,line=5,.*title=prompt_on_llm_nodes::`),
    );
  });
});

describe('many findings with one cause', () => {
  const comma = 'a [shape=box label="a"]\n';
  const many = `digraph many {\n${comma.repeat(40)}}`;

  test('are shown twice, with the lines of the rest and what --fix would do; programs get them all', async () => {
    const cwd = project({ 'many.dot': many });
    const { stdout } = await attractor(['lint', 'many.dot'], { cwd });
    expect(stdout.match(/^many.dot:\d+:\d+: error\[syntax\/missing_comma\]/gm)).toHaveLength(2);
    expect(stdout).toContain('  = 38 more: lines 4, 5, 6, ');
    expect(stdout).toMatch(/`attractor lint --fix` fixes 40 of \d+\n.* shows the other \d+ in full\n$/);
    const all = await attractor(['lint', '--verbose', 'many.dot'], { cwd });
    expect(all.stdout.match(/^many.dot:\d+:\d+: error\[syntax\/missing_comma\]/gm)).toHaveLength(40);
    for (const format of ['json', 'sarif', 'github']) {
      const machine = await attractor(['lint', '--format', format, 'many.dot'], { cwd });
      expect(machine.stdout.match(/one is missing before/g)).toHaveLength(40);
    }
  });

  const tool = 'shape=parallelogram, timeout="1m", tool_command="npm run';
  const sane = good.replace(
    'start -> done',
    `test [${tool} test"]\n  deploy [${tool} deploy"]\n  start -> test -> deploy -> done`,
  );
  const routed = sane.replace(
    'deploy ->',
    'deploy\n  test -> fix [condition="outcome=fail"]\n  fix [prompt="Fix it", max_visits=3]\n  fix -> test\n  deploy ->',
  );

  test.each([
    ['where no failure has a route is shown on request', [sane], '✔ no problems in 1 file'],
    ['on request', [sane, '--verbose'], 'if one of 2 commands fails, the run stops'],
    [
      'where another failure has a route is shown',
      [routed],
      'if the command of "deploy" fails, the run stops',
    ],
    ['for programs always', [sane, '--format', 'json'], 'if one of 2 commands fails, the run stops'],
    ['as the warning that a project wants', [sane, '--rule', 'failure_stops_run=warning'], '⚠ 1 warning'],
  ])('the hint that a failure stops the run, %s', async (_, [text = '', ...args], expected) => {
    const cwd = project({ 'case.dot': text });
    expect((await attractor(['lint', 'case.dot', ...args], { cwd })).stdout).toContain(expected);
  });
});

describe('the severity', () => {
  test.each<[what: string, args: readonly string[], status: number, says: RegExp]>([
    ['an error', ['--rule', 'prompt_on_llm_nodes=error'], 1, /^✖ 1 error in 1 file/m],
    ['off', ['--rule', 'prompt_on_llm_nodes=off'], 0, /✔ no problems/],
    [
      'the last that is given',
      ['--rule', 'prompt_on_llm_nodes=error', '--rule', 'prompt_on_llm_nodes=info'],
      0,
      /1 note/,
    ],
    [
      'that of a misspelt rule',
      ['--rule', 'prompt_on_llm_node=off'],
      2,
      /--rule: there is no rule "prompt_on_llm_node" \(did you mean "prompt_on_llm_nodes"\?\)/,
    ],
    [
      'that of a rule that is fixed',
      ['--rule', 'syntax=off'],
      2,
      /--rule: the severity of "syntax" cannot be set/,
    ],
    ['a misspelt one', ['--rule', 'reachability=warn'], 2, /Did you mean reachability=warning\?/],
    ['none', ['--rule', 'reachability'], 2, /Expected RULE=off, info, warning or error/],
    [
      'not more than so many warnings',
      ['--max-warnings', '0'],
      1,
      /attractor: 1 warning is more than --max-warnings 0 allows/,
    ],
    ['as many warnings as are allowed', ['--max-warnings', '1'], 0, /1 warning in 1 file/],
    ['no number', ['--max-warnings', 'few'], 2, /Expected a number, such as 0/],
  ])('may be %s', async (_, args, status, says) => {
    const finished = await attractor(['lint', 'warned.dot', ...args], { cwd: project() });
    expect(finished.stdout + finished.stderr).toMatch(says);
    expect(finished.status).toBe(status);
  });

  test('of the call takes precedence over the one of the configuration', async () => {
    const cwd = project({ 'attractor.config.yaml': 'rules:\n  prompt_on_llm_nodes: error\n' });
    expect((await attractor(['lint', 'warned.dot'], { cwd })).status).toBe(1);
    const { status } = await attractor(['lint', 'warned.dot', '--rule', 'prompt_on_llm_nodes=off'], { cwd });
    expect(status).toBe(0);
  });

  test('of a rule that there is not is told with its place, and so are all others', async () => {
    const cwd = project({
      'attractor.config.yaml': 'backend: simulate\nrules:\n  reachabilty: off\n  start_node: info\n',
    });
    const { status, stderr } = await attractor(['lint', 'good.dot'], { cwd });
    expect(status).toBe(2);
    expect(stderr).toBe(
      [
        'attractor: attractor.config.yaml:3:3: rules: there is no rule "reachabilty" (did you mean "reachability"?)',
        'attractor: attractor.config.yaml:4:3: rules: the severity of "start_node" cannot be set: a pipeline with such a finding cannot run',
        '',
      ].join('\n'),
    );
  });
});

describe('watching', () => {
  test('checks again what changes, comes and goes, until Ctrl-C', async () => {
    const cwd = project({ 'flows/a.dot': good });
    const file = (name: string) => path.join(cwd, name);
    // Whole at once: an empty file, which it is while it is written, is another finding.
    const put = (name: string, text: string) =>
      renameSync(path.join(directoryWith({ written: text }), 'written'), file(name));
    const watched = startAttractor(['lint', '--watch', 'warned.dot', 'flows'], { cwd });
    const rounds = () => watched.output().split('watching ').length - 1;
    const round = async (number: number, shown: string) => {
      await watched.until(`round ${number}: ${watched.output()}`, () => rounds() >= number);
      expect(lastRound(watched.output())).toContain(shown);
    };
    await round(1, '1 warning in 2 files');

    put('warned.dot', good);
    await round(2, 'no problems in 2 files');

    put('flows/b.dot', wrong);
    await round(3, 'attribute_type');

    rmSync(file('flows/b.dot'));
    await round(4, 'no problems in 2 files');

    // Another file, and one that says the same, are no reason to speak.
    writeFileSync(file('flows/notes.txt'), 'x');
    put('flows/a.dot', good);
    put('attractor.config.yaml', 'rules: { nonsense: off }\n');
    await round(5, 'there is no rule "nonsense"');

    put('attractor.config.yaml', 'rules: { prompt_on_llm_nodes: error }\n');
    await round(6, 'no problems in 2 files');
    put('flows/a.dot', warned);
    await round(7, '1 error in 2 files');
    expect(rounds()).toBe(7);
    expect(watched.output()).not.toContain('\u001b');

    watched.signal('SIGINT');
    expect((await watched.finished).status).toBe(130);
  });

  test('sees a file that an editor has replaced, and one that it has written in place', async () => {
    const cwd = project();
    const watched = startAttractor(['lint', '--watch', 'good.dot'], { cwd });
    await watched.until('the first round', () => watched.output().includes('watching for'));
    for (const [text, shown] of [
      [wrong, '1 error'],
      [warned, '1 warning'],
      [good, 'no problems'],
    ] as const) {
      rmSync(path.join(cwd, 'good.dot'));
      writeFileSync(path.join(cwd, 'good.dot'), text);
      await watched.until(shown, () => lastRound(watched.output()).includes(shown));
    }
    writeFileSync(path.join(cwd, 'good.dot'), warned);
    await watched.until('1 warning', () => lastRound(watched.output()).includes('1 warning'));
    watched.signal('SIGINT');
    expect((await watched.finished).status).toBe(130);
  });

  test.each([['--format', 'json', 'good.dot'], ['-']])('is refused with %s', async (...args) => {
    const { status, stderr } = await attractor(['lint', '--watch', ...args], { cwd: project() });
    expect(status).toBe(2);
    expect(stderr).toContain('--watch shows findings of files interactively');
  });
});

/** What was printed since the round before. */
function lastRound(output: string): string {
  return output.split('watching for changes (Ctrl-C to stop)\n').at(-2) ?? '';
}
