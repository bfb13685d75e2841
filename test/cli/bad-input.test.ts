import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryWith } from '../support/directory-with.js';
import { journalOf, journalText, linesOf } from '../support/journal-of.js';
import { fillDisk, smallDisk } from '../support/small-disk.js';
import { attractor, type Call, type Finished } from './attractor.js';

// What the command line says to what it cannot use: an exit status (DESIGN §5), one clear paragraph, no stack trace, and
// nothing that was recorded is lost.

/** Fails for what a person should never see. */
function expectCivil({ stdout, stderr }: Finished): void {
  expect(`${stdout.slice(0, 100_000)}\n${stderr}`).not.toMatch(/^\s+at .*:\d+:\d+|bug in attractor/m);
}

/** One paragraph on standard error that says what and where. */
function expectMessage(finished: Finished, message: RegExp): void {
  expectCivil(finished);
  expect(finished.stderr).toMatch(message);
  expect(finished.stderr.trim()).not.toContain('\n\n');
}

function pipelineOf(...commands: readonly string[]): string {
  const tools = commands.map(
    (command, index) => `  s${index + 1} [shape=parallelogram, tool_command="${command}"]`,
  );
  const chain = ['start', ...commands.map((_, index) => `s${index + 1}`), 'done'].join(' -> ');
  return `digraph tools {\n  start [shape=Mdiamond]\n  done [shape=Msquare]\n${tools.join('\n')}\n  ${chain}\n}\n`;
}

const works = pipelineOf('echo one >> lines', 'echo two >> lines');

function promptOf(text: string): string {
  return `digraph long { start [shape=Mdiamond]; done [shape=Msquare]; work [llm_provider=simulated, prompt="${text}"]; start -> work -> done }`;
}

const twoMegabytes = 'x'.repeat(2 * 1024 * 1024);

interface Input {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** The exit status of lint, parse, render and run. */
  readonly status: number | readonly [number, number, number, number];
  /** What is said, on whichever stream the command says it. */
  readonly says?: RegExp;
}

const inputs: readonly Input[] = [
  { name: 'a missing file', status: 2, says: /cannot read input\.dot: it does not exist/ },
  {
    name: 'binary bytes',
    content: Uint8Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256),
    status: 2,
    says: /cannot read input\.dot: it is not UTF-8 text/,
  },
  {
    name: 'a text that is not UTF-8',
    content: Buffer.from('digraph latin { start [shape=Mdiamond, label="caf\xe9"] }', 'latin1'),
    status: 2,
    says: /cannot read input\.dot: it is not UTF-8 text/,
  },
  { name: 'an empty file', content: '', status: 1, says: /empty/ },
  { name: 'a text with NUL characters', content: 'digraph\0nul {}', status: 1, says: /NUL/ },
  { name: 'UTF-16', content: Buffer.from('\ufeffdigraph g { a }', 'utf16le'), status: 2, says: /UTF-8/ },
  {
    name: '20 000 nested braces',
    content: `digraph deep ${'{'.repeat(20_000)}`,
    status: 1,
    says: /keyword subgraph/,
  },
  {
    name: '20 000 nested subgraphs',
    content: `digraph deep { ${'subgraph { '.repeat(20_000)}`,
    status: 1,
    says: /500 levels/,
  },
  { name: '20 000 brackets', content: `digraph deep { a ${'['.repeat(20_000)}`, status: 1, says: /closed/ },
  {
    name: 'a condition of 20 000 parentheses',
    content: `digraph deep { start [shape=Mdiamond]; done [shape=Msquare]; start -> done [condition="${'('.repeat(20_000)}"] }`,
    status: [1, 0, 0, 1],
  },
  { name: 'a string of 2 MB', content: promptOf(twoMegabytes), status: 0 },
  {
    name: 'a string of 2 MB that does not end',
    content: promptOf(twoMegabytes).slice(0, -40),
    status: 1,
    says: /no closing quote/,
  },
  { name: 'a file with a byte order mark', content: `\ufeff${works}`, status: 0 },
  { name: 'a file with Windows line ends', content: works.replaceAll('\n', '\r\n'), status: 0 },
];

const commands = ['lint', 'parse', 'render', 'run'] as const;

describe.each(inputs)('$name', ({ content, status, says }) => {
  test.each(commands.map((command, index) => ({ command, index })))(
    '$command',
    async ({ command, index }) => {
      const cwd = directoryWith(content === undefined ? {} : { 'input.dot': content });
      const before = readdirSync(cwd);
      const finished = await attractor([command, 'input.dot'], { cwd });
      const expected = typeof status === 'number' ? status : (status[index] ?? 0);
      expect(finished.status).toBe(expected);
      expectCivil(finished);
      if (expected === 2) expectMessage(finished, /^attractor: cannot read input\.dot: .+\n$/);
      if (says !== undefined && expected !== 0) expect(finished.stdout + finished.stderr).toMatch(says);
      if (expected !== 0) expect(readdirSync(cwd)).toEqual(before);
    },
  );
});

interface Misuse {
  readonly name: string;
  readonly args: readonly string[];
  readonly says: RegExp;
  /** 2 unless said otherwise. */
  readonly status?: number;
  readonly call?: Call;
}

const gate = `digraph gate {
  start [shape=Mdiamond]
  done [shape=Msquare]
  ask [shape=hexagon]
  start -> ask
  ask -> done [label="[Y] Yes"]
}
`;

const misuses: readonly Misuse[] = [
  ...commands.map((command) => ({
    name: `${command} of a directory`,
    args: [command, 'directory'],
    says:
      command === 'lint'
        ? /there is no \.dot file below directory/
        : /cannot read directory: it is a directory/,
  })),
  ...commands.map((command) => ({
    name: `${command} with an unknown option`,
    args: [command, 'works.dot', '--colour'],
    says: /unknown option '--colour'/,
  })),
  { name: 'an unknown command', args: ['lnit', 'works.dot'], says: /unknown command 'lnit'.*lint/s },
  { name: 'too many arguments', args: ['run', 'works.dot', 'gate.dot'], says: /too many arguments/ },
  { name: 'resume of nothing', args: ['resume', 'nothing'], says: /there is no run "nothing"/ },
  { name: 'resume of a directory without a run', args: ['resume', 'directory'], says: /contains no run/ },
  { name: 'resume of a file', args: ['resume', 'works.dot'], says: /works\.dot/ },
  { name: 'resume without a name', args: ['resume', ''], says: /there is no run ""/ },
  {
    name: 'a run directory that is a file',
    args: ['run', 'works.dot', '--run-dir', 'gate.dot'],
    says: /run directory .*gate\.dot cannot be created: a file with that name is in the way/,
  },
  {
    name: 'a run directory below a file',
    args: ['run', 'works.dot', '--run-dir', 'gate.dot/r'],
    says: /run directory .*gate\.dot\/r cannot be created: a part of the path is not a directory/,
  },
  { name: '--set without =', args: ['run', 'works.dot', '--set', 'branch'], says: /Expected name=value/ },
  { name: '--set without a name', args: ['run', 'works.dot', '--set', '=main'], says: /Expected name=value/ },
  { name: '--max-steps 0', args: ['run', 'works.dot', '--max-steps', '0'], says: /at least 1/ },
  { name: '--max-steps -1', args: ['run', 'works.dot', '--max-steps', '-1'], says: /at least 1/ },
  { name: '--max-steps 1.5', args: ['run', 'works.dot', '--max-steps', '1.5'], says: /at least 1/ },
  {
    name: 'an answer that fits no choice',
    args: ['run', 'gate.dot', '--answer', 'ask=perhaps'],
    says: /"perhaps" does not answer "ask", which offers: \[Y\] Yes/,
  },
  {
    name: 'an answer for an unknown node',
    args: ['run', 'gate.dot', '--answer', 'aks=Y'],
    says: /"aks".*not a node/,
  },
  {
    name: 'a missing script',
    args: ['run', 'works.dot', '--script', 'missing.yaml'],
    says: /cannot read the script missing\.yaml: it does not exist/,
  },
  {
    name: 'a script that is neither JSON nor YAML',
    args: ['run', 'works.dot', '--script', 'broken.yaml'],
    says: /the script broken\.yaml is neither JSON nor YAML: .*line 1/,
  },
  {
    name: 'a script with an unknown outcome',
    args: ['run', 'works.dot', '--script', 'outcome.yaml'],
    says: /the script outcome\.yaml cannot be used: nodes\.s1, entry 1, outcome: expected one of success, .*, found "/,
  },
  {
    name: 'a script with an unknown key',
    args: ['run', 'works.dot', '--script', 'key.yaml'],
    says: /the script key\.yaml cannot be used: nodes\.s1, entry 1: there is no key "outcom" here/,
  },
  {
    name: 'a script that is a list',
    args: ['run', 'works.dot', '--script', 'list.yaml'],
    says: /the script list\.yaml cannot be used: expected an object, found \[/,
  },
  {
    name: 'a script for an unknown node',
    args: ['run', 'works.dot', '--script', 'node.yaml'],
    says: /"s9".*no such node/,
  },
  {
    name: 'a script that answers what a gate does not offer',
    args: ['run', 'gate.dot', '--script', 'answer.yaml'],
    says: /"perhaps" does not answer "ask"/,
  },
  {
    name: 'an unreadable script',
    args: ['run', 'works.dot', '--script', 'directory'],
    says: /cannot read the script directory: it is a directory/,
  },
];

const misusedFiles = {
  'works.dot': works,
  'gate.dot': gate,
  'broken.yaml': 'nodes: { s1: [ }',
  'outcome.yaml': 'nodes: { s1: { outcome: failed } }',
  'key.yaml': 'nodes: { s1: { outcom: fail } }',
  'list.yaml': '- fail',
  'node.yaml': 'nodes: { s9: { outcome: fail } }',
  'answer.yaml': 'answers: { ask: perhaps }',
};

test.each(misuses)('$name', async ({ args, says, status = 2, call }) => {
  const cwd = directoryWith(misusedFiles);
  mkdirSync(path.join(cwd, 'directory'));
  const before = contentOf(cwd);
  const finished = await attractor(args, { cwd, ...call });
  expect(finished.status).toBe(status);
  expectMessage(finished, says);
  expect(finished.stdout).toBe('');
  expect(contentOf(cwd)).toEqual(before);
});

/** A run that waits at its gate, with a stage after it that is done. */
async function pausedRun(): Promise<{ readonly cwd: string; readonly run: string }> {
  const text = gate.replace(
    'start -> ask',
    'first [shape=parallelogram, tool_command="echo first >> lines"]; start -> first -> ask',
  );
  const cwd = directoryWith({ 'gate.dot': text });
  const paused = await attractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd });
  expect(paused.status).toBe(3);
  return { cwd, run: path.join(cwd, 'r') };
}

interface Damage {
  readonly name: string;
  readonly inflict: (run: string) => void;
  readonly says: RegExp;
}

const damages: readonly Damage[] = [
  {
    name: 'a line of the journal that is not JSON',
    inflict: (run) => changeLine(run, 3, (line) => line.replace('{', '(')),
    says: /journal .*events\.jsonl is damaged in line 3: it is not JSON/,
  },
  {
    name: 'a flipped bit in the journal',
    inflict: (run) => changeLine(run, 4, (line) => line.replace('"seq":4', '"seq":5')),
    says: /damaged in line 4: its seq is 5, but it must be 4/,
  },
  {
    name: 'a line missing in the journal',
    inflict: (run) => changeLine(run, 2, () => undefined),
    says: /damaged in line 2: its seq is 3/,
  },
  {
    name: 'two torn lines in one',
    inflict: (run) => changeLine(run, 2, (line) => line.slice(0, 20)),
    says: /damaged in line 2/,
  },
  {
    name: 'an event of an unknown type',
    inflict: (run) => changeLine(run, 5, (line) => line.replace('"type":"', '"type":"X')),
    says: /damaged in line 5: this line or the one before it was changed/,
  },
  {
    name: 'an event without what its type needs',
    inflict: (run) => changeLine(run, 3, (line) => line.replace('"outcome":', '"outcom":')),
    says: /damaged in line 3/,
  },
  {
    name: 'an event without a time',
    inflict: (run) => changeLine(run, 1, (line) => line.replace(/"timestamp":"[^"]+"/, '"timestamp":"soon"')),
    says: /damaged in line 1: this line or the one before it was changed/,
  },
  {
    name: 'a journal of NUL characters',
    inflict: (run) => writeFileSync(path.join(run, 'events.jsonl'), `${'\0'.repeat(4096)}\n`),
    says: /damaged in line 1: it is not JSON/,
  },
  {
    name: 'a missing journal next to a checkpoint',
    inflict: (run) => rmSync(path.join(run, 'events.jsonl')),
    says: /the journal .*events\.jsonl is missing/,
  },
  {
    name: 'a manifest that is not JSON',
    inflict: (run) => truncateSync(path.join(run, 'manifest.json'), 40),
    says: /manifest\.json is damaged: it is not JSON/,
  },
  {
    name: 'an empty manifest',
    inflict: (run) => truncateSync(path.join(run, 'manifest.json')),
    says: /manifest\.json is damaged/,
  },
  {
    name: 'a manifest without a key',
    inflict: (run) => edit(run, 'manifest.json', (text) => text.replace('"graph_hash"', '"graph_hsah"')),
    says: /manifest\.json is damaged: graph_hash: /,
  },
  {
    name: 'a missing manifest next to a journal',
    inflict: (run) => rmSync(path.join(run, 'manifest.json')),
    says: /manifest\.json is damaged: it is missing/,
  },
  {
    name: 'an edited pipeline',
    inflict: (run) => edit(run, 'pipeline.dot', (text) => text.replace('echo first', 'echo other')),
    says: /pipeline\.dot is not the pipeline that this run was started with/,
  },
  {
    name: 'a pipeline that was cut off',
    inflict: (run) => truncateSync(path.join(run, 'pipeline.dot'), 60),
    says: /pipeline\.dot is not the pipeline that this run was started with/,
  },
  {
    name: 'a pipeline that is not UTF-8',
    inflict: (run) => writeFileSync(path.join(run, 'pipeline.dot'), Buffer.from([0xff, 0xfe, 0xe9])),
    says: /pipeline\.dot cannot be read: it is not UTF-8 text/,
  },
  {
    name: 'a missing pipeline',
    inflict: (run) => rmSync(path.join(run, 'pipeline.dot')),
    says: /pipeline\.dot cannot be read: it does not exist/,
  },
];

describe('resume refuses, and changes nothing:', () => {
  test.each(damages)('$name', async ({ inflict, says }) => {
    const { cwd, run } = await pausedRun();
    inflict(run);
    const before = contentOf(run);
    const finished = await attractor(['resume', 'r', '--answer', 'ask=Y', '--json'], { cwd });
    expect(finished.status).toBe(5);
    expectMessage(finished, says);
    expect(finished.stdout).toBe('');
    expect(contentOf(run)).toEqual(before);
  });

  test('nor does the list of runs stumble over them', async () => {
    const cwd = directoryWith({ 'works.dot': works });
    await attractor(['run', 'works.dot', '--run-dir', '.attractor/runs/whole'], { cwd });
    await attractor(['run', 'works.dot', '--run-dir', '.attractor/runs/damaged'], { cwd });
    truncateSync(path.join(cwd, '.attractor/runs/damaged/manifest.json'), 40);
    const listed = await attractor(['runs', '--json'], { cwd });
    expectCivil(listed);
    const { runs } = JSON.parse(listed.stdout);
    expect(runs).toMatchObject([{ status: 'success' }, { run_id: 'damaged', status: 'damaged' }]);
  });
});

interface Survived {
  readonly name: string;
  readonly inflict: (run: string) => void;
}

const survived: readonly Survived[] = [
  {
    name: 'a torn last line of the journal',
    inflict: (run) => appendFileSync(path.join(run, 'events.jsonl'), '{"seq":9,"timestamp":"2026-01-'),
  },
  {
    name: 'a torn last line within a character',
    inflict: (run) =>
      appendFileSync(path.join(run, 'events.jsonl'), Buffer.from('{"é', 'utf8').subarray(0, 3)),
  },
  {
    name: 'NUL characters where the last line was to be',
    inflict: (run) => appendFileSync(path.join(run, 'events.jsonl'), '\0'.repeat(512)),
  },
  { name: 'a missing checkpoint', inflict: (run) => rmSync(path.join(run, 'checkpoint.json')) },
  { name: 'a damaged checkpoint', inflict: (run) => truncateSync(path.join(run, 'checkpoint.json'), 10) },
  {
    name: 'a half-written checkpoint',
    inflict: (run) => writeFileSync(path.join(run, 'checkpoint.json.tmp'), '{'),
  },
  { name: 'an unreadable lock', inflict: (run) => writeFileSync(path.join(run, 'lock'), 'nonsense') },
  { name: 'an empty lock', inflict: (run) => writeFileSync(path.join(run, 'lock'), '') },
  {
    name: 'the lock of a process that is no more',
    inflict: (run) => writeFileSync(path.join(run, 'lock'), '{"pid":1073741824,"process_start":"x"}\n'),
  },
  {
    name: 'the lock of an earlier process with the number of a living one',
    inflict: (run) => writeFileSync(path.join(run, 'lock'), `{"pid":${process.pid},"process_start":"x"}\n`),
  },
];

test.each(survived)('resume continues in spite of $name', async ({ inflict }) => {
  const { cwd, run } = await pausedRun();
  const recorded = journalText(run);
  inflict(run);
  const finished = await attractor(['resume', 'r', '--answer', 'ask=Y', '--json'], { cwd });
  expect(finished.status).toBe(0);
  expectCivil(finished);
  expect(JSON.parse(finished.stdout)).toMatchObject({
    status: 'success',
    path: ['start', 'first', 'ask', 'done'],
  });
  expect(journalText(run).startsWith(recorded)).toBe(true);
  expect(journalOf(run).map(({ seq }) => seq)).toEqual(journalOf(run).map((_, index) => index + 1));
  expect(linesOf(path.join(cwd, 'lines'))).toEqual(['first']);
  expect(readdirSync(run).filter((name) => /lock|tmp/.test(name))).toEqual([]);
});

test('89: a run directory that holds a run is not used again', async () => {
  const { cwd, run } = await pausedRun();
  const before = contentOf(run);
  const finished = await attractor(['run', 'gate.dot', '--run-dir', 'r'], { cwd });
  expect(finished.status).toBe(2);
  expectMessage(
    finished,
    /^attractor: .+ already contains a run\. Continue it with `attractor resume .+`, or .+\n$/,
  );
  expect(contentOf(run)).toEqual(before);
});

test('what stands where a stage keeps its files is put aside', async () => {
  const cwd = directoryWith({ 'works.dot': works });
  mkdirSync(path.join(cwd, 'r'));
  writeFileSync(path.join(cwd, 'r/s2'), 'in the way');
  expect(await attractor(['run', 'works.dot', '--run-dir', 'r'], { cwd })).toMatchObject({ status: 0 });
  expect(readFileSync(path.join(cwd, 'r/s2~1'), 'utf8')).toBe('in the way');
  expect(linesOf(path.join(cwd, 'lines'))).toEqual(['one', 'two']);
});

describe('a full disk', () => {
  test('stops the run with a message; once there is room, resume continues', async ({ skip }) => {
    const disk = smallDisk();
    if (disk === undefined) return skip('no small file system can be mounted here, as by root on Linux');
    const fill =
      'echo two >> lines; test -e filled || { touch filled; cat /dev/zero > $ATTRACTOR_LOGS_ROOT/../ballast; } 2> /dev/null';
    const cwd = directoryWith({
      'fill.dot': pipelineOf('echo one >> lines', `${fill}; true`, 'echo three >> lines'),
    });
    const run = path.join(disk, 'r');
    const stopped = await attractor(['run', 'fill.dot', '--run-dir', run], { cwd });
    expect(stopped.status).toBe(1);
    expectMessage(
      stopped,
      /^attractor: .+: no space is left on the device\. The run was stopped; .+resume.+\n$/,
    );
    expect(linesOf(path.join(cwd, 'lines'))).toEqual(['one', 'two']);
    const recorded = journalText(run);
    expect(recorded).toContain('"node_id":"s1","name":"s1","index":1,"attempt":1,"visit":1,"duration"');

    const still = await attractor(['resume', run], { cwd });
    expect([1, 2]).toContain(still.status);
    expectMessage(still, /no space is left on the device/);
    expect(journalText(run).startsWith(recorded)).toBe(true);

    rmSync(path.join(disk, 'ballast'));
    const resumed = await attractor(['resume', run, '--json'], { cwd });
    expect(resumed.status).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ status: 'success', visits: { s1: 1, s2: 1, s3: 1 } });
    const lines = linesOf(path.join(cwd, 'lines'));
    expect(lines.filter((line) => line === 'one')).toHaveLength(1);
    expect(lines.filter((line) => line === 'two').length).toBeLessThanOrEqual(2);
    expect(lines.at(-1)).toBe('three');
  });

  test('at the start leaves nothing that keeps the next start from working', async ({ skip }) => {
    const disk = smallDisk();
    if (disk === undefined) return skip('no small file system can be mounted here, as by root on Linux');
    const cwd = directoryWith({ 'works.dot': works });
    fillDisk(disk);
    const run = path.join(disk, 'r');
    const refused = await attractor(['run', 'works.dot', '--run-dir', run], { cwd });
    expect(refused.status).toBe(2);
    expectMessage(refused, /^attractor: the run directory .+ no space is left on the device\n$/);

    rmSync(path.join(disk, 'ballast'));
    expect(await attractor(['run', 'works.dot', '--run-dir', run], { cwd })).toMatchObject({ status: 0 });
    expect(linesOf(path.join(cwd, 'lines'))).toEqual(['one', 'two']);
  });
});

/** Every file below a directory with its content, to tell whether anything was changed. */
function contentOf(directory: string): ReadonlyMap<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  return new Map(
    names.map((name) => {
      const file = path.join(directory, name);
      return [name, statSync(file).isDirectory() ? 'a directory' : readFileSync(file, 'latin1')];
    }),
  );
}

function changeLine(run: string, number: number, change: (line: string) => string | undefined): void {
  edit(run, 'events.jsonl', (text) => {
    const lines = text.split('\n');
    const before = lines[number - 1] ?? '';
    const after = change(before);
    expect(after).not.toBe(before);
    lines.splice(number - 1, 1, ...(after === undefined ? [] : [after]));
    return lines.join('\n');
  });
}

function edit(run: string, name: string, change: (text: string) => string): void {
  const file = path.join(run, name);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
}
