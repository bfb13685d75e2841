import { execFileSync } from 'node:child_process';
import {
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createApp } from '../../../src/server/app.js';
import { openServerParts } from '../../../src/server/open-server-parts.js';
import { silentLog } from '../../../src/telemetry/log.js';
import { attractor } from '../../cli/attractor.js';
import { serverOptions } from '../../server/runs/harness.js';
import { guardAgainstHangs } from '../../support/hang-guard.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

// Programs work below a run directory and may leave anything in the place of any file of it. Whatever looks at such a run
// must come back, and whatever continues it must not write elsewhere.

const child = `digraph child {
  start [shape=Mdiamond]; done [shape=Msquare]
  inner [shape=parallelogram, tool_command="echo inner"]
  start -> inner -> done
}`;

/** Every kind of file and directory: a retry, a restart, branches, a stage of several branches, a child run, a large value, a question. */
const dot = `digraph rich {
  start [shape=Mdiamond]; done [shape=Msquare]
  ask [llm_provider=mine, prompt="Do it"]
  flaky [shape=parallelogram, max_retries=1, retry_policy=none, tool_command="echo out; echo err >&2; test -e tried || { touch tried; exit 1; }"]
  big [shape=parallelogram, tool_command="head -c 200000 /dev/zero | tr '\\\\0' x"]
  sub [type=pipeline, child="child.dot"]
  again [shape=parallelogram, tool_command="test -e again || { touch again; exit 1; }"]
  fork [shape=component]; join [shape=tripleoctagon]
  one [shape=parallelogram, tool_command="echo one"]
  two [shape=parallelogram, tool_command="echo two"]
  both [shape=parallelogram, tool_command="echo both"]
  gate [shape=hexagon, label="Go on?"]
  last [shape=parallelogram, tool_command="echo last"]
  start -> ask -> flaky -> big -> sub -> again
  again -> fork [condition="outcome=success"]
  again -> ask [condition="outcome=fail", loop_restart=true]
  fork -> one -> both -> join
  fork -> two -> both
  join -> gate
  gate -> last [label="[Y] Yes"]
  gate -> done [label="[N] No"]
  last -> done
}`;

const id = 'rich-run';
const home = path.join('.attractor', 'runs');

/** @returns the directory around it */
async function waitingRun(): Promise<string> {
  const cwd = temporaryDirectory();
  const files = {
    'rich.dot': dot,
    'child.dot': child,
    'agent.sh': "head -c 200000 /dev/zero | tr '\\0' x\n",
    'attractor.config.yaml': 'agents:\n  mine: { command: [sh, agent.sh], output: text }\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(cwd, name), content);
  const large = `large=${'x'.repeat(200_000)}`;
  const args = ['run', 'rich.dot', '--run-dir', path.join(home, id), '--record', '--set', large];
  expect(await attractor(args, { cwd })).toMatchObject({ status: 3 });
  return cwd;
}

const text = 'precious\n';

type Plant = (place: string, victim: string) => unknown;

/** One byte more than Node reads at once; it takes no space. */
const hugeBytes = 2 ** 31;
/** More than the longest string. */
const largeBytes = 2 ** 29;

const plants = {
  'a symbolic link': (place, victim) => symlinkSync(victim, place),
  'a link to nothing': (place, victim) => symlinkSync(path.join(path.dirname(victim), 'created'), place),
  'a link to a directory': (place, victim) => symlinkSync(path.dirname(victim), place),
  'a hard link': (place, victim) => linkSync(victim, place),
  'a pipe': (place) => execFileSync('mkfifo', [place]),
  'a device': (place) => symlinkSync('/dev/zero', place),
  'a directory': (place) => mkdirSync(path.join(place, 'inner'), { recursive: true }),
  'a socket': (place) => leaveSocket(place),
  'a huge file': (place) => leaveHole(place, hugeBytes),
  'a large file': (place) => leaveHole(place, largeBytes),
} satisfies Readonly<Record<string, Plant>>;

type Kind = keyof typeof plants;

/** A file of zeros that takes no space. */
function leaveHole(place: string, bytes: number): void {
  writeFileSync(place, '');
  truncateSync(place, bytes);
}

/** The path of a socket must be short when it is made. */
async function leaveSocket(place: string): Promise<void> {
  const made = path.join(temporaryDirectory(), 'socket');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(made, resolve));
  renameSync(made, place);
  server.close();
}

const everyKind = Object.keys(plants) as readonly Kind[];

/**
 * Places in which something lies at the same time: alone where whoever finds it there looks no further.
 * A name may be one that the run has only at other times.
 */
const table: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  manifest: ['manifest.json'],
  journal: ['events.jsonl'],
  pipeline: ['pipeline.dot'],
  lock: ['lock'],
  takeover: ['lock.takeover'],
  recording: ['recording.jsonl'],
  requests: ['request-pause.json', 'request-cancel.json', 'request-pause.json.taken'],
  server: ['queued.json', 'server.json', 'work-place'],
  snapshots: ['checkpoint.json', 'result.json'],
  tools: ['tools.jsonl', 'restart-1/tools.jsonl'],
  'index of artifacts': ['artifacts/index.jsonl'],
  contents: ['artifacts/inputs.0.context.large.json', /^recorded-outputs\//],
  question: ['open-questions/gate.17.1.1.json'],
  answers: ['answer', 'answer.json', 'rejected'].map((end) => `open-questions/gate.17.1.1.${end}`),
  stages: [/\/(?:status\.json|prompt\.md|response\.md|stdout\.log|stderr\.log)$/],
  'results of branches': ['restart-1/fork/parallel-results.json'],
  child: ['manifest.json', 'events.jsonl', 'pipeline.dot'].map((end) => `restart-1/sub/child/${end}`),
  directories: ['artifacts', 'recorded-outputs', 'open-questions', 'sessions'],
  'directories of stages': ['flaky', 'big', 'restart-1/last', 'restart-1/gate/attempt-1'],
  'directories of children': ['sub/child', 'restart-1/sub/child'],
  restart: ['restart-1'],
  'work trees': ['work-tree', 'branch-work-trees'],
};

interface Planted {
  readonly cwd: string;
  readonly what: string;
  readonly victim: string;
}

async function planted(recorded: string, place: string, kind: Kind): Promise<Planted> {
  const cwd = temporaryDirectory();
  cpSync(recorded, cwd, { recursive: true });
  const directory = path.join(cwd, home, id);
  const victim = path.join(cwd, 'elsewhere', 'victim');
  mkdirSync(path.dirname(victim));
  writeFileSync(victim, text);
  for (const name of namesFor(directory, table[place] ?? [])) {
    const file = path.join(directory, name);
    rmSync(file, { recursive: true, force: true });
    mkdirSync(path.dirname(file), { recursive: true });
    await plants[kind](file, victim);
  }
  return { cwd, what: `${kind}, ${place}`, victim };
}

function namesFor(directory: string, wanted: readonly (string | RegExp)[]): readonly string[] {
  const there = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return wanted.flatMap((pattern) => {
    if (typeof pattern === 'string') return pattern;
    const found = there.filter((name) => pattern.test(name));
    expect(found, String(pattern)).not.toEqual([]);
    return found;
  });
}

function expectUnharmed({ victim, what }: Planted, by: string): void {
  expect.soft(readFileSync(victim, 'utf8'), `${what}: ${by}`).toBe(text);
  expect.soft(readdirSync(path.dirname(victim)), `${what}: ${by}`).toEqual(['victim']);
}

/** Unexpected errors say that they are bugs. */
const bug = /bug in attractor|TypeError|RangeError|at .*\.ts:\d+/;

const guard = guardAgainstHangs(60_000);
afterAll(() => guard.close());

async function command(args: readonly string[], run: Planted): Promise<void> {
  const by = args.join(' ');
  guard.begins(`${run.what}: ${by}`);
  const { stdout, stderr } = await attractor(args, { cwd: run.cwd });
  expect.soft(`${stdout}${stderr}`, `${run.what}: ${by}`).not.toMatch(bug);
  expectUnharmed(run, by);
}

const looks: readonly (readonly string[])[] = [
  ['status', id],
  ['runs', '--json'],
  ['logs', id],
  ['logs', id, '--output', 'big'],
  ['report', id, '-o', 'report.html'],
  ['render', '--run', id, '-o', 'drawn.svg'],
  ['fork', id, '--at', 'big', '--run-dir', 'forked', '--no-run'],
  ['replay', id, '--run-dir', 'replayed', '--check'],
  ['pause', id],
];

const changes: readonly (readonly string[])[] = [
  ['resume', id, '--answer', 'gate=Y'],
  ['answer', id, 'Y'],
  ['cancel', id],
];

const requests = [
  '/pipelines',
  `/pipelines/${id}`,
  `/pipelines/${id}/questions`,
  `/pipelines/${id}/graph`,
  `/pipelines/${id}/source`,
  `/pipelines/${id}/checkpoint`,
  `/pipelines/${id}/context`,
  `/pipelines/${id}/timeline`,
  `/pipelines/${id}/stages/flaky`,
  `/pipelines/${id}/stages/big/files/stdout.log`,
  `/pipelines/${id}/artifacts`,
  `/pipelines/${id}/report`,
];

const posts: readonly (readonly [string, object])[] = [
  [`/pipelines/${id}/fork`, { at: 'big' }],
  [`/pipelines/${id}/questions/gate/answer`, { answer: 'Y' }],
  [`/pipelines/${id}/resume`, {}],
  [`/pipelines/${id}/cancel`, {}],
];

async function serve(run: Planted): Promise<void> {
  const options = { ...serverOptions(run.cwd, { allowTools: true }), workingDirectory: run.cwd };
  guard.begins(`${run.what}: serve`);
  const { parts, close } = await openServerParts(options, silentLog);
  const app = createApp(parts, []);
  const ask = async (request: string, init?: RequestInit): Promise<void> => {
    guard.begins(`${run.what}: ${request}`);
    const answer = await app.request(request, init);
    const said = await answer.text();
    expect.soft(answer.status === 500 ? said : '', `${run.what}: ${request}`).toBe('');
    expectUnharmed(run, request);
  };
  try {
    for (const request of requests) await ask(request);
    guard.begins(`${run.what}: events`);
    const events = new AbortController();
    const stream = await app.request(`/pipelines/${id}/events`, { signal: events.signal });
    const reader = stream.body?.getReader();
    if (stream.ok) await reader?.read();
    events.abort();
    await reader?.cancel();
    const headers = { 'content-type': 'application/json' };
    for (const [request, body] of posts)
      await ask(request, { method: 'POST', headers, body: JSON.stringify(body) });
  } finally {
    await close();
  }
  expectUnharmed(run, 'the server');
}

/** A copy of what fills a disk is not tried: a fork copies the files of stages, however large they are. */
const isFilling = (kind: Kind, place: string): boolean =>
  / file$/.test(kind) && ['stages', 'contents', 'results of branches', 'child'].includes(place);

/** Two kinds for each place, and others for the next. */
const chosen = Object.keys(table).flatMap((place, row) =>
  [0, 7]
    .map((step) => everyKind[(row * 3 + step) % everyKind.length] as Kind)
    .filter((kind) => !isFilling(kind, place))
    .map((kind) => ({ kind, place })),
);

test('whatever lies in a place of a run, it leads nowhere and keeps nobody waiting', async () => {
  const recorded = await waitingRun();
  for (const { kind, place } of chosen) {
    const looked = await planted(recorded, place, kind);
    for (const args of looks) await command(args, looked);
    for (const args of changes) await command(args, await planted(recorded, place, kind));
    await serve(await planted(recorded, place, kind));
  }
}, 400_000);
