import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { journalOf } from '../support/journal-of.js';
import { attractor, type Call } from './attractor.js';

// The command line as its user meets it (DESIGN §5): the built executable in a process of its own.

const escapeCode = '\u001b[';

const good = `digraph good {
  goal="ship it"
  model_stylesheet="* { llm_model: m1; }"
  start [shape=Mdiamond]
  done [shape=Msquare]
  subgraph cluster_loop {
    label="Loop A"
    work [prompt="do $goal", max_retries=2, timeout="900s", goal_gate="true", retry_target=work, x.ratio=0.5]
  }
  start -> work -> done [weight=3, label=go]
}
`;
const warned =
  'digraph warned { start [shape=Mdiamond]; done [shape=Msquare]; work; start -> work -> done }\n';
const wrong = `digraph wrong {
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [prompt="work"]
  start -> work
  work -> dnoe
}
`;
const unparsable = 'digraph unparsable { start [shape=Mdiamond a=1] ';

const gate = `digraph release {
  start [shape=Mdiamond]
  done [shape=Msquare]
  gate [shape=hexagon, label="Ship it?"]
  ship [shape=parallelogram, tool_command="echo shipped"]
  fix [shape=parallelogram, tool_command="echo fixed"]
  start -> gate
  gate -> ship [label="[A] Approve"]
  gate -> fix [label="[F] Fix"]
  ship -> done
  fix -> gate
}
`;

const branch = readFileSync(path.resolve(import.meta.dirname, '../../examples/spec/branch.dot'), 'utf8');

function pipelineOf(toolCommand: string): string {
  return `digraph one {
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [shape=parallelogram, tool_command="${toolCommand}"]
  start -> work -> done
}
`;
}

const files = {
  'good.dot': good,
  'warned.dot': warned,
  'wrong.dot': wrong,
  'unparsable.dot': unparsable,
  'gate.dot': gate,
  'branch.dot': branch,
  'fails.dot': pipelineOf('echo no luck >&2; exit 7'),
  'works.dot': pipelineOf('echo done'),
  'values.dot': pipelineOf('echo $' + '{context.nix}'),
};

interface Status {
  readonly call: string;
  readonly status: number;
  readonly input?: string;
  /** What the message must say, on standard error. */
  readonly says?: RegExp;
}

const statuses: readonly Status[] = [
  { call: '--version', status: 0 },
  { call: '', status: 2, says: /Usage: attractor/ },
  { call: 'help run', status: 0 },
  { call: 'lint good.dot', status: 0 },
  { call: 'lint warned.dot', status: 0 },
  { call: 'lint wrong.dot', status: 1 },
  { call: 'lint good.dot wrong.dot', status: 1 },
  { call: 'lint good.dot missing.dot', status: 2, says: /missing\.dot: it does not exist/ },
  { call: 'lint -', status: 1, input: wrong },
  { call: 'lint - --format json', status: 0, input: good },
  { call: 'lint good.dot --format xml', status: 2, says: /pretty, json/ },
  { call: 'lint', status: 2, says: /missing required argument 'file'/ },
  { call: 'parse good.dot', status: 0 },
  { call: 'parse unparsable.dot', status: 1 },
  { call: 'parse -', status: 0, input: good },
  { call: 'render good.dot -o out.bmp', status: 2, says: /\.svg, \.png/ },
  { call: 'render unparsable.dot', status: 1, says: /unparsable\.dot:1:/ },
  { call: 'render good.dot -o missing/out.svg', status: 2, says: /cannot write missing\/out\.svg/ },
  { call: 'run works.dot', status: 0 },
  { call: 'run -', status: 0, input: pipelineOf('true') },
  { call: 'run fails.dot', status: 1 },
  { call: 'run missing.dot', status: 2, says: /missing\.dot: it does not exist/ },
  { call: 'run wrong.dot', status: 1, says: /wrong\.dot:6:11/ },
  { call: 'run gate.dot', status: 3 },
  { call: 'run gate.dot --answer gate=Q', status: 2, says: /\[A\] Approve, \[F\] Fix/ },
  { call: 'run gate.dot --answer gtae=A', status: 2, says: /"gtae"/ },
  { call: 'run gate.dot --auto-approve --max-steps 1', status: 1 },
  { call: 'run values.dot', status: 0 },
  {
    call: 'run values.dot --strict-values --json',
    status: 1,
    says: /has no value, and missing values are errors/,
  },
  { call: 'run works.dot --set novalue', status: 2, says: /name=value/ },
  { call: 'run works.dot --max-steps 0', status: 2, says: /at least 1/ },
  { call: 'run works.dot --max-steps many', status: 2, says: /at least 1/ },
  { call: 'run works.dot --frobnicate', status: 2, says: /unknown option '--frobnicate'/ },
  { call: 'frobnicate', status: 2, says: /unknown command 'frobnicate'/ },
  { call: 'help frobnicate', status: 2, says: /unknown command 'frobnicate'/ },
  { call: 'help lint', status: 0 },
  { call: 'help help', status: 0 },
  { call: 'lint works.dot --config .', status: 2, says: /the configuration \.: it is a directory/ },
  { call: 'resume 20260101-000000-none-aaaaaa', status: 2, says: /there is no run/ },
  { call: 'runs', status: 0, says: /There are no runs/ },
];

test.each(statuses)('attractor $call ends with $status', async ({ call, status, input, says }) => {
  const cwd = directoryWith(files);
  const finished = await attractor(wordsOf(call), { cwd, ...(input !== undefined && { input }) });
  expect(finished).toMatchObject({ status });
  if (says !== undefined) expect(finished.stderr).toMatch(says);
  expect(finished.stdout + finished.stderr).not.toContain(escapeCode);
});

describe('lint', () => {
  test('prints findings for people with their place, the line and a caret', async () => {
    const { stdout, stderr } = await attractor(['lint', 'wrong.dot'], { cwd: directoryWith(files) });
    expect(stdout).toMatchInlineSnapshot(`
      "wrong.dot:6:11: error[edge_target_exists]: the edge leads to "dnoe", which is not a node (did you mean "done"?)
      6 |   work -> dnoe
        |           ^^^^
        = help: write \`done\`

      ✖ 1 error in 1 file
      "
    `);
    expect(stderr).toBe('');
  });

  test('prints JSON with exactly the documented keys', async () => {
    const { stdout } = await attractor(['lint', '--format', 'json', 'wrong.dot', 'warned.dot'], {
      cwd: directoryWith(files),
    });
    const printed = JSON.parse(stdout);
    expect(Object.keys(printed)).toEqual(['diagnostics', 'summary']);
    expect(Object.keys(printed.summary)).toEqual(['errors', 'warnings', 'infos']);
    const keys = new Set(printed.diagnostics.flatMap((diagnostic: object) => Object.keys(diagnostic)));
    const known = [
      'rule severity message file line column end_line end_column',
      'node_id edge fix code',
    ].flatMap((words) => words.split(' '));
    expect([...keys].filter((key) => !known.includes(String(key)))).toEqual([]);
    expect(printed.diagnostics[0]).toMatchObject({
      rule: 'edge_target_exists',
      severity: 'error',
      file: 'wrong.dot',
      line: 6,
      column: 11,
      end_line: 6,
      end_column: 15,
      edge: ['work', 'dnoe'],
    });
    const warning = printed.diagnostics.find(({ file }: { file: string }) => file === 'warned.dot');
    expect(warning).toMatchObject({ rule: 'prompt_on_llm_nodes', severity: 'warning', node_id: 'work' });
  });

  test.each([
    { name: 'FORCE_COLOR=1', env: { FORCE_COLOR: '1' }, colored: true },
    { name: 'NO_COLOR=1', env: { NO_COLOR: '1' }, colored: false },
    { name: 'both', env: { FORCE_COLOR: '1', NO_COLOR: '1' }, colored: true },
    { name: 'neither', env: {}, colored: false },
    { name: 'FORCE_COLOR=0', env: { FORCE_COLOR: '0' }, colored: false },
  ])('colours a pipe only when told to: $name', async ({ env, colored }) => {
    const { stdout } = await attractor(['lint', 'wrong.dot'], { cwd: directoryWith(files), env });
    expect(stdout.includes(escapeCode)).toBe(colored);
  });
});

describe('parse', () => {
  test('90: prints the graph after the transforms, with typed values and places', async () => {
    const { stdout } = await attractor(['parse', 'good.dot'], { cwd: directoryWith(files) });
    const graph = JSON.parse(stdout);
    expect(Object.keys(graph)).toEqual(['name', 'attributes', 'nodes', 'edges', 'subgraphs', 'diagnostics']);
    expect(graph).toMatchObject({ name: 'good', attributes: { goal: 'ship it' }, diagnostics: [] });
    expect(graph.nodes[2]).toEqual({
      id: 'work',
      attributes: {
        prompt: 'do ship it',
        max_retries: 2,
        timeout: '900s',
        goal_gate: true,
        retry_target: 'work',
        'x.ratio': 0.5,
        llm_model: 'm1',
      },
      classes: ['loop-a'],
      handler: 'codergen',
      span: { line: 8, column: 5, end_line: 8, end_column: 9 },
    });
    expect(graph.edges[1]).toEqual({
      from: 'work',
      to: 'done',
      attributes: { weight: 3, label: 'go' },
      span: { line: 10, column: 12, end_line: 10, end_column: 24 },
    });
    expect(graph.subgraphs).toMatchObject([{ name: 'cluster_loop', attributes: { label: 'Loop A' } }]);
  });

  test('--raw prints the graph before them', async () => {
    const { stdout } = await attractor(['parse', 'good.dot', '--raw'], { cwd: directoryWith(files) });
    const work = JSON.parse(stdout).nodes[2];
    expect(work.attributes).toMatchObject({ prompt: 'do $goal', max_retries: 2 });
    expect(work.attributes).not.toHaveProperty('llm_model');
  });

  test('90: has the findings of syntax and lowering, not those of lint', async () => {
    const cwd = directoryWith({
      ...files,
      'twice.dot': warned.replace('work;', 'work [label=a]; work [label=b, label=c];'),
    });
    const findings = async (file: string) =>
      JSON.parse((await attractor(['parse', file], { cwd })).stdout).diagnostics;
    expect(await findings('wrong.dot')).toEqual([]);
    expect(await findings('warned.dot')).toEqual([]);
    expect((await findings('twice.dot')).map(({ rule }: { rule: string }) => rule).sort()).toEqual([
      'duplicate_attribute',
      'node_redeclared',
    ]);
  });

  test('90: prints what it could read of a broken file, and the findings', async () => {
    const { stdout } = await attractor(['parse', 'unparsable.dot'], { cwd: directoryWith(files) });
    const graph = JSON.parse(stdout);
    expect(graph).toMatchObject({ name: 'unparsable', nodes: [{ id: 'start' }] });
    expect(graph.diagnostics[0]).toMatchObject({ rule: 'syntax', severity: 'error', line: 1 });
  });
});

describe('render', () => {
  test.each([
    { name: 'SVG on standard output', args: [], isSvg: true },
    { name: 'DOT on standard output', args: ['--format', 'dot'], isSvg: false },
    { name: 'an .svg file', args: ['-o', 'out.svg'], isSvg: true },
    { name: 'a .dot file', args: ['-o', 'out.dot'], isSvg: false },
    { name: 'SVG in a file of any name', args: ['-o', 'out', '--format', 'svg'], isSvg: true },
  ])('writes $name', async ({ args, isSvg }) => {
    const cwd = directoryWith(files);
    const { status, stdout, stderr } = await attractor(['render', 'good.dot', ...args], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const out = args.includes('-o') ? readFileSync(path.join(cwd, args[1] ?? ''), 'utf8') : stdout;
    expect(out).toMatch(isSvg ? /<svg [\s\S]*<\/svg>\n$/ : /^digraph [\s\S]*}\n$/);
    expect(out).toContain('work');
    if (args.includes('-o')) expect(stdout).toBe('');
  });
});

const resultKeys =
  'run_id run_dir status quality path completed_nodes steps visits context usage duration_ms'.split(' ');

describe('run', () => {
  test('--json prints one object with the documented keys, and nothing else', async () => {
    const cwd = directoryWith(files);
    const { status, stdout, stderr } = await attractor(['run', 'works.dot', '--json'], { cwd });
    const result = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(Object.keys(result)).toEqual(expect.arrayContaining(resultKeys));
    expect(result).toMatchObject({
      status: 'success',
      quality: 'clean',
      path: ['start', 'work', 'done'],
      completed_nodes: ['start', 'work'],
      steps: 1,
      visits: { start: 1, work: 1, done: 1 },
      context: { 'tool.output': 'done\n', 'tool.exit_code': 0, outcome: 'success' },
      usage: {},
    });
    expect(result).not.toHaveProperty('failure_reason');
    expect(result.run_dir).toBe(path.join(cwd, '.attractor/runs', result.run_id));
    expect(result.run_id).toMatch(/^\d{8}-\d{6}-one-[a-z2-7]{6}$/);
    expect(JSON.parse(readFileSync(path.join(result.run_dir, 'result.json'), 'utf8'))).toEqual(result);
    expect(stderr).toMatch(/success/);
  });

  test('--json says why a run failed, and where', async () => {
    const cwd = directoryWith(files);
    const { status, stdout } = await attractor(['run', 'fails.dot', '--json'], { cwd });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'fail',
      quality: 'failed',
      failed_node: 'work',
      failure_reason: 'exit code 7: no luck',
    });
  });

  test('--events prints the journal as it grows, and the result as its last line', async () => {
    const cwd = directoryWith(files);
    const { stdout } = await attractor(['run', 'works.dot', '--events', '--run-dir', 'r'], { cwd });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const result = lines.pop();
    expect(lines).toEqual(journalOf(path.join(cwd, 'r')));
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
    expect(lines[0]).toMatchObject({ type: 'PipelineStarted', name: 'one', run_id: result.run_id });
    expect(result).toMatchObject({ type: 'RunResult', status: 'success', path: ['start', 'work', 'done'] });
    expect(Object.keys(result)).toEqual(expect.arrayContaining(resultKeys));
  });

  test.each(['wrong.dot', 'unparsable.dot'])('93: executes and creates nothing for %s', async (file) => {
    const cwd = directoryWith(files);
    const { status, stdout } = await attractor(['run', file, '--json', '--run-dir', 'r'], { cwd });
    const printed = JSON.parse(stdout);
    expect(status).toBe(1);
    expect(Object.keys(printed)).toEqual(['status', 'diagnostics', 'findings']);
    expect(printed.status).toBe('invalid');
    expect(printed.diagnostics[0]).toMatchObject({ severity: 'error', file });
    expect(readdirSync(cwd).sort()).toEqual(Object.keys(files).sort());
  });

  test('creates nothing where an answer fits no choice', async () => {
    const cwd = directoryWith(files);
    expect(await attractor(['run', 'gate.dot', '--answer', 'gate=Q'], { cwd })).toMatchObject({ status: 2 });
    expect(readdirSync(cwd).sort()).toEqual(Object.keys(files).sort());
  });

  test('tells a person one line a stage, without escape codes', async () => {
    const cwd = directoryWith(files);
    const { stdout, stderr } = await attractor(['run', 'works.dot', '--run-dir', 'r'], { cwd });
    expect(stdout.replaceAll(/ +\d+(?:\.\d+)?m?s/g, ' <time>')).toMatchInlineSnapshot(`
      "one
      ✔ work   tool <time>

      ✔ success · 1 stage in <time>
        run directory: r
      "
    `);
    expect(stderr).toBe('');
  });

  test('97: --set reaches tools and the context, typed', async () => {
    const cwd = directoryWith({ 'set.dot': pipelineOf('env | grep ^ATTRACTOR_CTX_ | sort') });
    const values = [
      'count=3',
      'name=Ada Lovelace',
      'ready=true',
      'a.b=x=y',
      'list=[1,2]',
      'map={"k":[0]}',
      'nothing=null',
      'quoted="3"',
    ];
    const sets = values.flatMap((value) => ['--set', value]);
    const { stdout } = await attractor(['run', 'set.dot', '--json', ...sets], { cwd });
    const { context } = JSON.parse(stdout);
    expect(context).toMatchObject({
      'inputs.count': 3,
      count: 3,
      'inputs.name': 'Ada Lovelace',
      ready: true,
      'a.b': 'x=y',
      list: [1, 2],
      map: { k: [0] },
      nothing: null,
      quoted: '"3"',
    });
    const variables = context['tool.output'].split('\n');
    expect(variables).toEqual(
      expect.arrayContaining([
        'ATTRACTOR_CTX_A_B=x=y',
        'ATTRACTOR_CTX_COUNT=3',
        'ATTRACTOR_CTX_INPUTS_A_B=x=y',
        'ATTRACTOR_CTX_INPUTS_COUNT=3',
        'ATTRACTOR_CTX_INPUTS_NAME=Ada Lovelace',
        'ATTRACTOR_CTX_INPUTS_READY=true',
        'ATTRACTOR_CTX_NAME=Ada Lovelace',
        'ATTRACTOR_CTX_READY=true',
      ]),
    );
    expect(variables.filter((line: string) => /^ATTRACTOR_CTX_(?:INPUTS_)?(?:LIST|MAP)=/.test(line))).toEqual(
      [],
    );
  });

  test.each([
    {
      name: 'script.yaml',
      text: 'nodes:\n  validate:\n    - { outcome: fail, failure_reason: tests red }\n    - { outcome: success }\n',
    },
    {
      name: 'script.json',
      text: '{"nodes":{"validate":[{"outcome":"fail","failure_reason":"tests red"},{"outcome":"success"}]}}',
    },
  ])('--script $name replaces stages: the validation fails once', async ({ name, text }) => {
    const cwd = directoryWith({ ...files, [name]: text });
    const { status, stdout } = await attractor(
      ['run', 'branch.dot', '--json', '--script', name, '--provider', 'simulated'],
      { cwd },
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'success',
      quality: 'clean',
      path: 'start plan implement validate gate implement validate gate exit'.split(' '),
      visits: { implement: 2, validate: 2, gate: 2, plan: 1 },
    });
  });
});

describe('a human gate', () => {
  test.each([
    { name: 'a line of the pipe', input: 'A\n', path: 'start gate ship done' },
    { name: 'a line without its end', input: 'A', path: 'start gate ship done' },
    { name: 'the label', input: 'approve\n', path: 'start gate ship done' },
    { name: 'one line a question', input: 'F\nA\n', path: 'start gate fix gate ship done' },
    { name: 'the next line, where one fits no choice', input: 'Q\n\nA\n', path: 'start gate ship done' },
    { name: '--auto-approve', args: ['--auto-approve'], path: 'start gate ship done' },
    {
      name: '--answer, once for each question',
      args: ['--answer', 'gate=F', '--answer', 'gate=a'],
      path: 'start gate fix gate ship done',
    },
  ])('takes $name', async ({ input = '', args = [], path: expected }) => {
    const cwd = directoryWith(files);
    const { status, stdout } = await attractor(['run', 'gate.dot', '--json', ...args], { cwd, input });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', path: expected.split(' ') });
  });

  test('asks again, saying what was wrong, and shows what a pipe answered', async () => {
    const { stdout } = await attractor(['run', 'gate.dot'], { cwd: directoryWith(files), input: 'Q\nA\n' });
    expect(stdout).toContain(`[?] Ship it?
    [A] Approve
    [F] Fix
    Select: Q
    "Q" is not one of the choices; answer with A, F
    Select: A
✔ gate `);
  });

  test.each([
    { name: 'an answer', args: ['--answer', 'gate=A'], input: '' },
    { name: 'a pipe', args: [], input: 'A\n' },
    { name: '--auto-approve', args: ['--auto-approve'], input: '' },
  ])('87: pauses the run at the end of the input; resume with $name continues', async ({ args, input }) => {
    const cwd = directoryWith(files);
    const paused = await attractor(['run', 'gate.dot', '--run-dir', 'r', '--json'], { cwd });
    expect(paused.status).toBe(3);
    expect(JSON.parse(paused.stdout)).toMatchObject({ status: 'paused', waiting_node: 'gate', steps: 0 });
    const ending = journalOf(path.join(cwd, 'r')).slice(-3);
    expect(ending).toMatchObject([
      { type: 'InterviewStarted', stage: 'gate' },
      { type: 'StageSuspended', node_id: 'gate' },
      { type: 'PipelinePaused', node_id: 'gate' },
    ]);

    const resumed = await attractor(['resume', 'r', '--json', ...args], { cwd, input });
    expect(resumed.status).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      status: 'success',
      path: ['start', 'gate', 'ship', 'done'],
    });
  });

  test('resume refuses an answer that fits no choice, and changes nothing', async () => {
    const cwd = directoryWith(files);
    await attractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd });
    const before = readFileSync(path.join(cwd, 'r/events.jsonl'));
    const refused = await attractor(['resume', 'r', '--answer', 'gate=Q'], { cwd });
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('[A] Approve, [F] Fix');
    expect(readFileSync(path.join(cwd, 'r/events.jsonl'))).toEqual(before);
  });
});

describe('resume', () => {
  test('89: runs the stage that failed again, and finds a run by its id', async () => {
    const cwd = directoryWith({ 'flaky.dot': pipelineOf('test -f ready || exit 9') });
    const failed = JSON.parse((await attractor(['run', 'flaky.dot', '--json'], { cwd })).stdout);
    expect(failed).toMatchObject({ status: 'fail', failure_reason: 'exit code 9' });
    const again = await attractor(['resume', failed.run_id], { cwd });
    expect(again).toMatchObject({ status: 1 });
    await attractor(['run', '-'], { cwd, input: pipelineOf('touch ready') });
    const resumed = await attractor(['resume', failed.run_id, '--json'], { cwd });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ run_id: failed.run_id, status: 'success' });
    expect(resumed.status).toBe(0);
  });

  test('leaves a run that has succeeded alone and gives its result again', async () => {
    const cwd = directoryWith(files);
    const first = await attractor(['run', 'works.dot', '--run-dir', 'r', '--json'], { cwd });
    const before = readFileSync(path.join(cwd, 'r/events.jsonl'));
    const second = await attractor(['resume', 'r', '--json'], { cwd });
    expect(second).toMatchObject({ status: 0, stdout: first.stdout });
    expect(readFileSync(path.join(cwd, 'r/events.jsonl'))).toEqual(before);
  });
});

describe('runs', () => {
  test('lists the runs of a directory for people and as JSON', async () => {
    const cwd = directoryWith(files);
    for (const file of ['works.dot', 'fails.dot', 'gate.dot']) await attractor(['run', file], { cwd });
    const table = await attractor(['runs'], { cwd });
    expect(table.stdout.split('\n')[0]).toMatch(/^RUN +STATUS +STAGES/);
    expect(table.stdout).not.toContain(escapeCode);

    const { runs } = JSON.parse((await attractor(['runs', '--json'], { cwd })).stdout);
    const byName = runs.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`);
    expect(byName.sort()).toEqual(['one fail', 'one success', 'release paused']);
    for (const { run_id: id } of runs) expect(table.stdout).toContain(id);
  });
});

test.each([
  '',
  'lint',
  'fmt',
  'parse',
  'render',
  'run',
  'resume',
  'runs',
  'status',
  'wait',
  'logs',
  'pause',
  'cancel',
])('--help of %j shows an example', async (command) => {
  const { status, stdout } = await attractor([...wordsOf(command), '--help']);
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`Example:\n {2}\\$ attractor ${command}`));
});

test.each<{ name: string; call: Call }>([
  { name: 'NO_COLOR', call: { env: { NO_COLOR: '1' } } },
  { name: 'TERM=dumb', call: { env: { TERM: 'dumb' } } },
])('progress has no escape codes in a pipe, with $name', async ({ call }) => {
  const cwd = directoryWith(files);
  const { stdout, stderr } = await attractor(['run', 'fails.dot'], { cwd, ...call });
  expect(stdout + stderr).not.toContain(escapeCode);
});

test('FORCE_COLOR colours the progress of a run', async () => {
  const cwd = directoryWith(files);
  const { stdout } = await attractor(['run', 'fails.dot'], { cwd, env: { FORCE_COLOR: '1' } });
  expect(stdout).toContain(escapeCode);
});

function wordsOf(call: string): readonly string[] {
  return call.split(' ').filter((word) => word !== '');
}
