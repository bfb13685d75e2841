// What runs on many machines cost: the built `attractor worker` next to a worker of bare DBOS, whose steps return small data, each with
// a database of its own on the same server. They take turns. Next to the clock it measures the processor time of worker and database,
// which says more on a machine that others work on too.
//
//   node bench/cluster.mjs [--database URL] [--rounds 3] [--runs 100] [--steps 20] [--turns 30] [--parked 1000] [--only idle,rate,latency,heap]
//
// Without a URL it starts a PostgreSQL of its own.

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openServer } from './cluster/postgres.mjs';
import { AttractorSide, BareSide, pause } from './cluster/sides.mjs';
import { shown, table } from './engine/table.mjs';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    runs: { type: 'string', default: '100' },
    steps: { type: 'string', default: '20' },
    turns: { type: 'string', default: '30' },
    parked: { type: 'string', default: '1000' },
    only: { type: 'string', default: 'idle,rate,latency,heap' },
    dir: { type: 'string', default: tmpdir() },
  },
});
const [rounds, runs, steps, turns, parked] = ['rounds', 'runs', 'steps', 'turns', 'parked'].map((name) =>
  Number(options[name]),
);
const parts = new Set(options.only.split(','));
/** Runs that are parked before the heap is measured for the first time. */
const parkedBefore = 100;
/** Milliseconds after which a worker has released a run that only waits. */
const releaseMs = 13_000;
/** Seconds for which workers are looked at that have nothing to do. */
const idleSeconds = 10;
const labels = { bare: 'bare', attractor: 'attractor', files: 'attractor, three files a stage' };

const directory = mkdtempSync(join(options.dir, 'attractor-bench-cluster-'));
const closing = [() => rmSync(directory, { recursive: true, force: true })];
try {
  process.exitCode = await measure();
} finally {
  for (const close of closing.reverse()) await close();
}

async function measure() {
  const server = await openServer(options.database);
  closing.push(() => server.close());
  process.stdout.write(
    `${cpus().length} processors, Node ${process.version}, ${server.version}, ${rounds} rounds, ${load()}\n`,
  );
  const bare = await started(BareSide, 'bare', server);
  const idleBare = parts.has('idle') ? await idle(bare, server) : undefined;
  const attractor = await started(AttractorSide, 'attractor', server);
  const rows = [];
  if (idleBare !== undefined) rows.push(...idleRows(idleBare, await idle(attractor, server)));
  if (parts.has('rate')) rows.push(...(await rateRows({ bare, attractor }, server)));
  if (parts.has('latency')) rows.push(...(await latencyRows({ bare, attractor })));
  if (parts.has('heap')) rows.push(...(await heapRows({ bare, attractor })));
  const failed = rows.filter((row) => row.at(-1) === 'FAIL').length;
  process.stdout.write(
    `\n${table(rows)}\n\n${load()}\n${failed === 0 ? 'PASS' : `FAIL: ${failed} goals missed`}\n`,
  );
  return failed === 0 ? 0 : 1;
}

async function started(Kind, name, server) {
  const database = await server.createDatabase(`attractor_bench_${process.pid}_${name}`);
  const side = new Kind({ name, database, directory, runs: parked + parkedBefore + runs });
  closing.push(() => side.close());
  await side.start();
  return side;
}

/** What a worker without work takes of the processor each second, and the database for it and for those before it. */
async function idle(side, server) {
  await pause(3000);
  const before = { worker: side.processorTime(), database: server.processorTime() };
  await pause(idleSeconds * 1000);
  const each = (after, since) => (since === undefined ? undefined : (after - since) / idleSeconds);
  return {
    worker: each(side.processorTime(), before.worker),
    database: each(server.processorTime(), before.database),
  };
}

function idleRows(bare, attractor) {
  const own = attractor.database === undefined ? undefined : Math.max(attractor.database - bare.database, 0);
  return [
    ['a worker without work: ms of the processor a second, of the database for it'],
    ['  bare', shown(bare.worker), shown(bare.database)],
    ['  attractor', shown(attractor.worker), shown(own)],
  ];
}

/** Steps a second of many runs at once; what a step takes of the processor, and of the disk. */
async function rateRows({ bare, attractor }, server) {
  await rate(bare, { steps }, server);
  await rate(attractor, { steps }, server);
  // Files are left later, so that this is the space of steps without.
  const space = { bare: await bare.space(), attractor: await attractor.space() };
  await rate(attractor, { steps, files: 3 }, server);
  const measured = [];
  for (let round = 0; round < rounds; round += 1)
    measured.push({
      bare: await rate(bare, { steps }, server),
      attractor: await rate(attractor, { steps }, server),
      files: await rate(attractor, { steps, files: 3 }, server),
    });
  return [
    [`${runs} runs at once, of ${steps} steps: steps a second; µs of the processor each`],
    ...['bare', 'attractor', 'files'].map((name) => rateRow(name, measured)),
    ratioRow('attractor', measured, 0.8),
    ratioRow('files', measured),
    ...spaceRows(space),
  ];
}

async function rate(side, work, server) {
  const submissions = [];
  for (let index = 0; index < runs; index += 1) submissions.push(await side.submission(work));
  const before = { worker: side.processorTime(), database: server.processorTime() };
  const began = performance.now();
  const submit = async () => {
    for (let next = submissions.pop(); next !== undefined; next = submissions.pop()) await side.submit(next);
  };
  await Promise.all(Array.from({ length: 8 }, submit));
  await side.untilDone(runs);
  const seconds = (performance.now() - began) / 1000;
  const count = runs * steps;
  const each = (after, since) => (since === undefined ? undefined : (1000 * (after - since)) / count);
  return {
    perSecond: count / seconds,
    worker: each(side.processorTime(), before.worker),
    database: each(server.processorTime(), before.database),
  };
}

function rateRow(name, measured) {
  const rates = measured.map((round) => round[name].perSecond);
  const cheapest = cheapestOf(name, measured);
  const parts = `${shown(cheapest.worker)} + ${shown(cheapest.database)}`;
  return [`  ${labels[name]}`, shown(Math.max(...rates)), shown(median(rates)), parts];
}

function ratioRow(name, measured, goal) {
  const best = (of) => Math.max(...measured.map((round) => round[of].perSecond));
  const speed = best(name) / best('bare');
  const usual = median(measured.map((round) => round[name].perSecond / round.bare.perSecond));
  const cost = (of) => costOf(cheapestOf(of, measured));
  const thrift = cost('bare') / cost(name);
  const row = [`  ${labels[name]} ÷ bare`, shown(speed), shown(usual), shown(thrift)];
  if (goal === undefined) return row;
  return [...row, `>= ${goal}`, Math.max(speed, thrift) >= goal ? 'PASS' : 'FAIL'];
}

function cheapestOf(name, measured) {
  return measured.map((round) => round[name]).reduce((a, b) => (costOf(b) < costOf(a) ? b : a));
}

function costOf({ worker, database = 0 }) {
  return worker + database;
}

function spaceRows({ bare, attractor }) {
  const sum = ({ tables }) => Object.values(tables).reduce((a, b) => a + b, 0);
  const total = (side) => sum(side) / (side.runs * steps);
  const own = ({ tables, steps: recorded }) => tables.operation_outputs / recorded;
  const run = ({ tables, runs: count }) => tables.workflow_status / count;
  return [
    ['space: bytes in the database, with indexes'],
    ['  bare: a step', shown(own(bare))],
    [
      '  attractor: a step',
      shown(own(attractor)),
      '',
      '',
      '<= 1024',
      own(attractor) <= 1024 ? 'PASS' : 'FAIL',
    ],
    ['  bare: what else a run has', shown(run(bare))],
    ['  attractor: what else a run has', shown(run(attractor))],
    ['  bare: all, of a step', shown(total(bare))],
    ['  attractor: all, of a step', shown(total(attractor))],
  ];
}

/** How long it takes from a submission to the first step, and from an answer to the next one. */
async function latencyRows(sides) {
  const first = { bare: [], attractor: [] };
  const next = { bare: [], attractor: [] };
  for (let turn = 0; turn < turns; turn += 1)
    for (const [name, side] of Object.entries(sides)) {
      first[name].push(await untilFirst(side));
      next[name].push(await untilNext(side));
    }
  const late = await lateAnswers(sides.attractor);
  return [
    ...waitRows('submission to the first step: milliseconds', first),
    ...waitRows('answer to the next step: milliseconds', next),
    ['  attractor, released meanwhile', shown(Math.min(...late)), shown(median(late))],
  ];
}

/** The same for runs that have waited so long that their worker has released them. */
async function lateAnswers(side) {
  const answers = [];
  for (let turn = 0; turn < turns; turn += 1)
    answers.push(
      await side.answerer(await side.submit(await side.submission({ steps: 1, waits: true, marks: true }))),
    );
  await pause(releaseMs);
  const waits = [];
  for (const answer of answers) {
    const began = performance.timeOrigin + performance.now();
    await answer();
    waits.push((await side.nextMark()) - began);
  }
  return waits;
}

async function untilFirst(side) {
  const submission = await side.submission({ steps: 1, marks: true });
  // The queue is looked at in rounds: whoever submits knows nothing of them.
  await pause(150 * Math.random());
  const began = performance.timeOrigin + performance.now();
  await side.submit(submission);
  return (await side.nextMark()) - began;
}

async function untilNext(side) {
  const id = await side.submit(await side.submission({ steps: 1, waits: true, marks: true }));
  const answer = await side.answerer(id);
  await pause(50);
  const began = performance.timeOrigin + performance.now();
  await answer();
  return (await side.nextMark()) - began;
}

/** Of waits the median is judged: the best is luck. */
function waitRows(title, measured) {
  const [bare, attractor] = ['bare', 'attractor'].map((name) => measured[name]);
  const ratio = median(attractor) / median(bare);
  return [
    [title],
    ['  bare', shown(Math.min(...bare)), shown(median(bare))],
    ['  attractor', shown(Math.min(...attractor)), shown(median(attractor))],
    ['  attractor ÷ bare', '', shown(ratio), '', '<= 2', ratio <= 2 ? 'PASS' : 'FAIL'],
  ];
}

/** What the heap of a worker holds of each run that waits for a person. */
async function heapRows(sides) {
  const held = {};
  for (const [name, side] of Object.entries(sides)) {
    await park(side, parkedBefore);
    await pause(releaseMs);
    const before = await side.heap();
    await park(side, parked);
    await pause(releaseMs);
    held[name] = ((await side.heap()) - before) / parked / 1024;
  }
  return [
    [`${parked} runs that wait for an answer: KiB of the heap each`],
    ['  bare', shown(held.bare)],
    ['  attractor', shown(held.attractor), '', '', '<= 40', held.attractor <= 40 ? 'PASS' : 'FAIL'],
  ];
}

async function park(side, count) {
  const ids = [];
  for (let index = 0; index < count; index += 1)
    ids.push(await side.submit(await side.submission({ steps, waits: true })));
  for (const id of ids) await side.answerer(id);
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function load() {
  return `load ${loadavg()[0].toFixed(2)}`;
}
