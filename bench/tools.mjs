// Whether tools run at the speed of the system, from a process of any size: compares Node's own `spawn` of `true`, with
// pipes, to the spawner of attractor alone, to a bare program that writes as many durable lines around each tool, and to
// the stages of a run of a parallel node with as many branches, each a tool.
//
//   node bench/tools.mjs [--rounds 3] [--tools 1000] [--parallel 4,64] [--ballast 0,500] [--ways spawn,spawner,bare,stage] [--dir DIR]
//
// The ballast is what the process holds in memory, in megabytes: a fork costs what the process has to copy for it. With
// --json the rates are printed as one line of JSON, for bench/engine.mjs.

import { spawn, spawnSync } from 'node:child_process';
import {
  fdatasync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { spawnerCode } from '../scripts/spawner-code.mjs';

const root = join(import.meta.dirname, '..');
/** Of the time of a raw spawn, from a process of any size. */
const largestRatio = 1.25;
/** Ways that are only shown: the yardstick, and what the goal would be measured against if nothing had to be durable. */
const shownOnly = new Set(['spawn', 'bare']);
/** `spawn` of a large process takes so long that fewer have to do. */
const fewWithBallast = 100;

const ways = { spawn: rawSpawn, spawner: bySpawner, bare: byBareProgram, stage: byStages };

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    tools: { type: 'string', default: '1000' },
    parallel: { type: 'string', default: '4,64' },
    ballast: { type: 'string', default: '0,500' },
    ways: { type: 'string', default: Object.keys(ways).join(',') },
    dir: { type: 'string', default: tmpdir() },
    json: { type: 'boolean', default: false },
    // Set where this script calls itself, for one measurement in a process of its own.
    measure: { type: 'string' },
    client: { type: 'string' },
  },
});

if (options.measure === undefined) process.exitCode = await compare();
else process.stdout.write(String(await measure(options.measure)));

async function compare() {
  const home = mkdtempSync(join(options.dir, 'attractor-bench-'));
  try {
    const client = await bundleClient(home);
    const compared = numbers(options.parallel).map((parallel) => compareWays(parallel, home, client));
    if (options.json) process.stdout.write(`${JSON.stringify(compared)}\n`);
    else return compared.map(report).every((passes) => passes) ? 0 : 1;
    return 0;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Interleaves the ways, so that a busy moment of the machine meets them all, and takes the best of each. */
function compareWays(parallel, home, client) {
  const cases = numbers(options.ballast).flatMap((ballast) =>
    options.ways.split(',').map((way) => ({ way, ballast, rates: [] })),
  );
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const { way, ballast, rates } of cases) {
      const tools = way === 'spawn' && ballast > 0 ? fewWithBallast : options.tools;
      // Nothing is removed between the runs: ext4 is slow to create files for a minute after many were removed.
      const dir = mkdtempSync(join(home, 'run-'));
      rates.push(measureAlone({ measure: way, tools, parallel, ballast, dir, client }));
    }
  }
  return { parallel, cases };
}

function measureAlone(given) {
  const args = Object.entries(given).flatMap(([option, value]) => [`--${option}`, String(value)]);
  const script = fileURLToPath(import.meta.url);
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${given.measure}: ${stderr}`);
  return Number(stdout);
}

/** Everything is held against `spawn` in a small process, which itself may be as slow as it is. */
function report({ parallel, cases }) {
  process.stdout.write(`\n${parallel} at a time\n`);
  const [yardstick] = cases.map(({ rates }) => Math.max(...rates));
  let passes = true;
  for (const { way, ballast, rates } of cases) {
    const ratio = yardstick / Math.max(...rates);
    const isSlow = !shownOnly.has(way) && ratio > largestRatio;
    if (isSlow) passes = false;
    const name = ballast === 0 ? way : `${way}, ${ballast} MB held`;
    const each = rates.map((rate) => rate.toFixed(0).padStart(6)).join('');
    process.stdout.write(
      `${name.padEnd(24)}${each} tools/s, a tool takes ${ratio.toFixed(2)} × a raw spawn${isSlow ? `: FAIL, at most ${largestRatio} × is wanted` : ''}\n`,
    );
  }
  return passes;
}

/** Tools a second. */
async function measure(name) {
  const tools = Number(options.tools);
  const ballast = Buffer.alloc(Number(options.ballast) * 2 ** 20, 1);
  const prepared = await ways[name]();
  const seconds = await prepared(tools, Number(options.parallel));
  if (ballast.length > 0 && ballast[0] !== 1) throw new Error('the ballast is gone');
  return tools / seconds;
}

async function rawSpawn() {
  const one = () =>
    new Promise((resolve, reject) => {
      const child = spawn('true');
      child.once('error', reject);
      child.once('close', resolve);
    });
  return (tools, parallel) => pool(tools, parallel, one);
}

async function bySpawner() {
  const one = await toolOfSpawner();
  return (tools, parallel) => pool(tools, parallel, one);
}

async function toolOfSpawner() {
  const { runTool } = await import(pathToFileURL(options.client));
  return async (index) => {
    const [stdout, stderr] = ['out', 'err'].map((name) => join(options.dir, `${index}.${name}`));
    const { exit } = await runTool(
      { command: 'true', directory: '/', environment: {}, stdout, stderr },
      new AbortController().signal,
    );
    if (exit.code !== 0) throw new Error(`the tool ended with ${JSON.stringify(exit)}`);
  };
}

/**
 * What no engine can do without that promises as much: a line that is on the disk before a tool starts, one with its
 * result, a directory and a status file that nobody finds half written. Tools share a flush, as branches do.
 */
async function byBareProgram() {
  const tool = await toolOfSpawner();
  const journal = openSync(join(options.dir, 'lines'), 'a');
  const flush = promisify(fdatasync);
  // As many bytes as a tool stage has in a journal.
  const line = `${'x'.repeat(874)}\n`;
  let unwritten = '';
  let flushing = Promise.resolve();
  let next;
  const durably = () => {
    next ??= flushing.then(() => {
      next = undefined;
      writeSync(journal, unwritten);
      unwritten = '';
      flushing = flush(journal);
      return flushing;
    });
    return next;
  };
  const one = async (index) => {
    unwritten += line;
    await durably();
    const directory = join(options.dir, `t${index}`);
    mkdirSync(directory);
    await tool(index);
    unwritten += line;
    writeFileSync(join(directory, 'status.tmp'), '{"outcome":"success"}\n');
    renameSync(join(directory, 'status.tmp'), join(directory, 'status.json'));
  };
  return (tools, parallel) => pool(tools, parallel, one);
}

async function byStages() {
  const { run } = await import('../dist/index.js');
  const runTools = async (name, tools, parallel) => {
    const runDirectory = join(options.dir, name);
    const { status, failure_reason: reason } = await run(pipeline(tools, parallel), {
      runDirectory,
      maxSteps: 10 * tools,
    });
    if (status !== 'success') throw new Error(`the run ended with ${status}: ${reason}`);
    return runDirectory;
  };
  // A process that holds as much is a server, and this run not its first.
  if (Number(options.ballast) > 0) await runTools('before', 10, 2);
  return async (tools, parallel) => secondsOfTools(await runTools('run', tools, parallel), tools);
}

/** From the start of the first tool to the end of the last, as the journal has them: what a run costs besides its stages is not theirs. */
function secondsOfTools(runDirectory, tools) {
  const lines = readFileSync(join(runDirectory, 'events.jsonl'), 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line)).filter(({ node_id: id = '' }) => /^t\d/.test(id));
  const started = events.filter(({ type }) => type === 'StageStarted');
  const completed = events.filter(({ type }) => type === 'StageCompleted');
  if (started.length !== tools || completed.length !== tools)
    throw new Error(`of ${tools} tools, ${started.length} were started and ${completed.length} completed`);
  return (Date.parse(completed.at(-1).timestamp) - Date.parse(started[0].timestamp)) / 1000;
}

function pipeline(tools, parallel) {
  const ids = Array.from({ length: tools }, (_, index) => `t${index + 1}`);
  const lines = [
    'start [shape=Mdiamond]',
    'done [shape=Msquare]',
    `fan [shape=component, max_parallel=${parallel}]`,
    'join [shape=tripleoctagon]',
    'start -> fan',
    'join -> done',
    ...ids.map((id) => `${id} [shape=parallelogram, tool_command="true"]`),
    ...ids.map((id) => `fan -> ${id}`),
    ...ids.map((id) => `${id} -> join`),
  ];
  return `digraph tools {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

/** Seconds until all tools have ended. */
async function pool(tools, parallel, one) {
  const began = performance.now();
  let next = 0;
  const work = async () => {
    for (let index = next++; index < tools; index = next++) await one(index);
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return (performance.now() - began) / 1000;
}

/** The spawner as the engine uses it, which the library does not export. */
async function bundleClient(home) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    input: 'src/handlers/tools/run-tool.ts',
    platform: 'node',
    transform: {
      target: 'node20',
      define: { __ATTRACTOR_SPAWNER__: JSON.stringify(await spawnerCode(root)) },
    },
  });
  const file = join(home, 'spawner.mjs');
  await build.write({ file, format: 'esm' });
  await build.close();
  return file;
}

function numbers(list) {
  return list.split(',').map(Number);
}
