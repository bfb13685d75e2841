// Whether the server answers as fast as it must: the built `attractor serve` next to the bare framework, and next to Node alone, that answer
// the same bytes. All three listen at the same time, and are asked in turns. Next to what a second brings it measures the processor time
// of the servers, which says more on a machine that others work on too; the better of both counts.
//
//   node bench/server.mjs [--rounds 3] [--seconds 3] [--connections 32] [--steps 5000]

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { shown, table } from './engine/table.mjs';
import { countRequests, longestWait, readStream } from './server/load.mjs';
import { processorTime } from './server/processor-time.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    steps: { type: 'string', default: '5000' },
    dir: { type: 'string', default: tmpdir() },
  },
});
const rounds = Number(options.rounds);
const [seconds, connections, steps] = [options.seconds, options.connections, options.steps].map(Number);
/** Clients that read the same stream: with as many, the server was once silent until all had read it to its end. */
const crowd = 60;
/** Pipelines of this many nodes, with as many edges, are posted to be checked: one takes more than a second. */
const postedNodes = 4900;
const posts = 20;
const executable = join(import.meta.dirname, '../bin/attractor.js');

const home = mkdtempSync(join(options.dir, 'attractor-bench-server-'));
const children = [];
try {
  process.exitCode = await measure();
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
}

async function measure() {
  process.stdout.write(`${cpus().length} processors, Node ${process.version}, ${rounds} rounds, ${load()}\n`);
  const { servers, events } = await startAll();
  // What was compiled once and for all serves for days.
  for (const { status: target } of Object.values(servers)) await warmUp(target);
  const status = [];
  const one = [];
  const twenty = [];
  const waits = [];
  for (let round = 0; round < rounds; round += 1) {
    status.push(await inTurns(servers, ({ status: target }) => ask(target)));
    one.push(await inTurns(servers, ({ stream }) => listen(stream, 1, events)));
    twenty.push(await inTurns(servers, ({ stream }) => listen(stream, 20, events)));
    waits.push(await waitsOf(servers, events));
  }
  const posted = await waitsOfPosts(servers.attractor);
  const rows = [
    ...rowsOf('status: requests a second; µs each', status),
    ...rowsOf(`a stream of ${events} events: events a second; µs each`, one),
    ...rowsOf('20 streams of them: events a second of each; µs each', twenty),
    ...waitRows(
      `${crowd} streams of them: longest wait of another request, of all the time they take`,
      waits,
    ),
    ...postedRows(posted),
  ];
  const failed = rows.filter((row) => row.at(-1) === 'FAIL').length;
  process.stdout.write(
    `\n${table(rows)}\n\n${load()}\n${failed === 0 ? 'PASS' : `FAIL: ${failed} goals missed`}\n`,
  );
  return failed === 0 ? 0 : 1;
}

/** @returns of each server what a second brings, and the microseconds of processor time that one of it takes */
async function inTurns(servers, work) {
  const result = {};
  for (const [name, server] of Object.entries(servers)) {
    try {
      const before = processorTime(server.pid);
      const { count, perSecond } = await work(server);
      result[name] = { perSecond, each: (1000 * (processorTime(server.pid) - before)) / count };
    } catch (error) {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    }
  }
  return result;
}

async function ask(target) {
  const { count, milliseconds } = await countRequests(target, { connections, seconds });
  return { count, perSecond: count / (milliseconds / 1000) };
}

async function warmUp(target) {
  for (let asked = 0; asked < 15_000; ) asked += (await ask(target)).count;
}

async function listen(stream, streams, expected) {
  const read = await Promise.all(Array.from({ length: streams }, () => readStream(stream)));
  const short = read.find(({ events }) => events !== expected);
  if (short !== undefined) throw new Error(`a stream had ${short.events} of ${expected} events`);
  const slowest = Math.max(...read.map(({ milliseconds }) => milliseconds));
  return { count: streams * expected, perSecond: expected / (slowest / 1000) };
}

/** @returns of each server how long a request waits at most while a crowd reads a stream, as a share of the time of the crowd */
async function waitsOf(servers, expected) {
  const result = {};
  for (const [name, { status: target, stream }] of Object.entries(servers)) {
    const readers = start([
      join(import.meta.dirname, 'server/readers.mjs'),
      String(crowd),
      JSON.stringify(stream),
    ]);
    const over = firstLine(readers).then(JSON.parse);
    const longest = await longestWait(target, over);
    const { events, milliseconds } = await over;
    if (events !== crowd * expected) throw new Error(`${name}: the streams had ${events} events`);
    result[name] = { longest, share: longest / milliseconds };
  }
  return result;
}

/** @returns milliseconds that each of two posts takes, and the longest wait of another request while a large pipeline is checked again and again */
async function waitsOfPosts({ status: target, lint }) {
  const check = async (count) => {
    const started = performance.now();
    for (let index = 0; index < count; index += 1) {
      const answer = await fetch(lint.url, { method: 'POST', headers: lint.headers, body: lint.body });
      if (!answer.ok) throw new Error(`POST /lint: ${answer.status} ${await answer.text()}`);
      await answer.text();
    }
    return (performance.now() - started) / count;
  };
  await check(2);
  const over = check(posts);
  const longest = await longestWait(target, over);
  return { longest, each: await over };
}

/** A check on the thread of the requests would keep others waiting for all of it. */
function postedRows({ longest, each }) {
  return [
    [`a pipeline of ${2 * postedNodes} nodes and edges is checked ${posts} times: milliseconds`],
    ['  a check', shown(each)],
    [
      '  longest wait of another request, of a check',
      shown(longest / each),
      '',
      shown(longest),
      '<= 0.5',
      longest / each <= 0.5 ? 'PASS' : 'FAIL',
    ],
  ];
}

function largePipeline() {
  const ids = Array.from({ length: postedNodes }, (_, index) => `n${index}`);
  const nodes = ids.map(
    (id, index) => `${id} [prompt="Do \${context.k${index % 50}}", writes="k${(index + 1) % 50}: integer"]`,
  );
  const edges = ids.slice(1).map((id, index) => `n${index} -> ${id} [condition="outcome=success"]`);
  return `digraph large { goal="x" start [shape=Mdiamond] exit [shape=Msquare] start -> n0 n${postedNodes - 1} -> exit
    ${[...nodes, ...edges].join('\n')} }`;
}

/** Streams must not keep others from being answered: whoever waits for a whole one, or for all, waits too long. */
function waitRows(title, measured) {
  const rows = ['attractor', 'hono', 'node'].map((name) => {
    const shares = measured.map((round) => round[name].share).sort((a, b) => a - b);
    return [`  ${name}`, shown(shares[0]), shown(shares[shares.length >> 1])];
  });
  const [best] = rows[0].slice(1);
  return [
    [title],
    [...rows[0], '', '<= 0.1', Number(best) <= 0.1 ? 'PASS' : 'FAIL'],
    ...rows.slice(1),
    ['  attractor, milliseconds', shown(Math.min(...measured.map(({ attractor }) => attractor.longest)))],
  ];
}

/** The best of all rounds of each; of the ratio to the framework also the median of the rounds, which one lucky round does not change. */
function rowsOf(title, measured) {
  const fastest = (name) => Math.max(...measured.map((round) => round[name].perSecond));
  const cheapest = (name) => Math.min(...measured.map((round) => round[name].each));
  const ratios = measured.map(({ attractor, hono }) => attractor.perSecond / hono.perSecond);
  const speed = fastest('attractor') / fastest('hono');
  const thrift = cheapest('hono') / cheapest('attractor');
  const isGood = Math.max(speed, thrift) >= 0.5;
  return [
    [title],
    ...['attractor', 'hono', 'node'].map((name) => {
      return [`  ${name}`, shown(fastest(name)), '', shown(cheapest(name)), '', ''];
    }),
    [
      ...['  attractor ÷ hono', shown(speed), shown(ratios.sort((a, b) => a - b)[ratios.length >> 1])],
      ...[shown(thrift), '>= 0.5', isGood ? 'PASS' : 'FAIL'],
    ],
  ];
}

async function startAll() {
  const ours = await startAttractor();
  const id = await finishedRun(ours);
  const headers = { authorization: `Bearer ${ours.token}` };
  const get = async (path) => {
    const answer = await fetch(`${ours.url}${path}`, { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const answer = await get(`/pipelines/${id}`);
  const statusFile = fileWith('status.json', await answer.text());
  const headersFile = fileWith('headers.json', JSON.stringify(ownHeaders(answer)));
  const journal = join(home, 'runs', id, 'events.jsonl');
  const events = readFileSync(journal, 'utf8').split('\n').length - 1;
  const paths = { status: `/pipelines/${id}`, stream: `/pipelines/${id}/events?from=1` };
  const targets = (port, pid, more = {}) => ({
    pid,
    status: { port, path: paths.status, headers: more },
    stream: { port, path: paths.stream, headers: more },
  });
  const lint = {
    url: `${ours.url}/lint`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ dot: largePipeline() }),
  };
  const servers = { attractor: { ...targets(ours.port, ours.pid, headers), lint } };
  for (const kind of ['hono', 'node']) {
    const child = start([
      join(import.meta.dirname, 'server/bare.mjs'),
      kind,
      statusFile,
      headersFile,
      journal,
    ]);
    servers[kind] = targets(Number(await firstLine(child)), child.pid);
  }
  return { servers, events };
}

async function startAttractor() {
  const tokenFile = join(home, 'token');
  const child = start([
    ...[executable, 'serve', '--port', '0', '--home', join(home, 'runs'), '--token-file', tokenFile],
    ...['--rate', '10000000'],
  ]);
  const { port, origin } = new URL(await firstLine(child));
  return { pid: child.pid, url: origin, port: Number(port), token: readFileSync(tokenFile, 'utf8').trim() };
}

/** A run that goes in a circle for as long as it may, and with its thousands of events is over. */
async function finishedRun({ url, token }) {
  const dot = `digraph loop { start [shape=Mdiamond] exit [shape=Msquare] a [shape=diamond] b [shape=diamond]
    start -> a -> b -> a  b -> exit [condition="context.never=1"] }`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ dot, simulate: true, max_steps: steps });
  const posted = await fetch(`${url}/pipelines`, { method: 'POST', headers, body });
  const { id } = await posted.json();
  if (id === undefined) throw new Error(`the run was not taken: ${posted.status}`);
  for (;;) {
    const { status } = await (await fetch(`${url}/pipelines/${id}`, { headers })).json();
    if (status !== 'running' && status !== 'queued') return id;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function start(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  return child;
}

async function firstLine(child) {
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a server ended with ${code} before it listened`);
  });
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  return line;
}

/** Those that the server has put into an answer: who sends the same bytes sends them too. */
function ownHeaders(answer) {
  const ofNode = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);
  return Object.fromEntries([...answer.headers].filter(([name]) => !ofNode.has(name)));
}

function fileWith(name, text) {
  const file = join(home, name);
  writeFileSync(file, text);
  return file;
}

function load() {
  return `load ${loadavg()[0].toFixed(2)}`;
}
