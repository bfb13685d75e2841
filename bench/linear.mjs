// Whether a run of n stages costs O(n) (DESIGN §1.5): runs linear pipelines of 1 000 and of 10 000 stages that do nothing, and
// a loop over two of them, as a user would, and compares the times.
//
//   node bench/linear.mjs [--rounds 3] [--dir DIR]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const executable = join(import.meta.dirname, '../bin/attractor.js');
const sizes = [1000, 10_000];
const largestRatio = 12;

/** A condition that reads a stage by its name may take so many times as long as one that reads the context. */
const largestReadRatio = 1.25;

const prompted = (id) => `${id} [prompt="Do step ${id}"]`;
const kinds = [
  { name: 'simulated LLM stages', pipeline: (size) => chain(size, prompted) },
  { name: 'diamonds', pipeline: (size) => chain(size, (id) => `${id} [shape=diamond]`) },
  // Every visit puts the files of the one before aside.
  { name: 'a loop of two simulated LLM stages', pipeline: (size) => loop(size, prompted), status: 1 },
];

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    dir: { type: 'string', default: tmpdir() },
  },
});

const home = mkdtempSync(join(options.dir, 'attractor-bench-'));
try {
  const verdicts = [...kinds.map(measureKind), measureReads()];
  process.exitCode = verdicts.every((passes) => passes) ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** Interleaves the sizes, so that a busy moment of the machine meets both, and takes the best of each. */
function measureKind({ name, pipeline, status }) {
  const best = new Map();
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const size of sizes) {
      const measured = measure(size, pipeline(size), status);
      if (measured.seconds < (best.get(size)?.seconds ?? Number.POSITIVE_INFINITY)) best.set(size, measured);
    }
  }
  process.stdout.write(`\n${name}\n${table(best)}\n`);
  const [few, many] = sizes.map((size) => best.get(size).seconds);
  const ratio = many / few;
  const passes = ratio <= largestRatio;
  process.stdout.write(
    `${passes ? 'PASS' : 'FAIL'}: ten times the stages take ${ratio.toFixed(1)} times as long (at most ${largestRatio})\n`,
  );
  return passes;
}

/** Compares conditions on the stage before with conditions on the context, in turns (SEMANTICS 104). */
function measureReads() {
  const size = sizes.at(-1);
  const texts = [(id) => `context.${id}.visits`, (id) => `stages.${id}.visits`].map((key) =>
    readingChain(size, key),
  );
  const best = texts.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < Number(options.rounds); round += 1)
    for (const [index, text] of texts.entries())
      best[index] = Math.min(best[index], measure(size, text).seconds);
  const ratio = best[1] / best[0];
  const passes = ratio <= largestReadRatio;
  process.stdout.write(
    `\nconditions of ${size} diamonds: ${best[0].toFixed(2)} s on the context, ${best[1].toFixed(2)} s on stages\n${passes ? 'PASS' : 'FAIL'}: stages take ${ratio.toFixed(2)} times as long (at most ${largestReadRatio})\n`,
  );
  return passes;
}

/** @param expected the exit status: only a limit ends a loop */
function measure(size, text, expected = 0) {
  // Nothing is removed between the runs: ext4 is slow to create files for seconds after many were removed.
  const directory = mkdtempSync(join(home, 'run-'));
  const file = join(directory, 'linear.dot');
  const run = join(directory, 'run');
  writeFileSync(file, text);
  const args = [executable, 'run', file, '--run-dir', run, '--simulate', '--max-steps', String(size)];
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const seconds = (performance.now() - started) / 1000;
  if (status !== expected) throw new Error(`the run of ${size} stages ended with ${status}: ${stderr}`);
  return {
    seconds,
    journal: statSync(join(run, 'events.jsonl')).size,
    checkpoint: statSync(join(run, 'checkpoint.json')).size,
    files: readdirSync(run, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      .length,
  };
}

function chain(size, node) {
  const ids = Array.from({ length: size }, (_, index) => `s${index + 1}`);
  const way = ['start', ...ids, 'done'];
  return digraph([
    ...ids.map(node),
    ...ids.map((id, index) => `${way[index]} -> ${id}`),
    `${ids.at(-1)} -> done`,
  ]);
}

/** Diamonds whose edges have a condition on what the key of the diamond before says. */
function readingChain(size, keyOf) {
  const ids = Array.from({ length: size }, (_, index) => `s${index + 1}`);
  const way = ['start', ...ids, 'done'];
  const edges = way.slice(1).flatMap((to, index) => {
    const from = way[index];
    return [`${from} -> ${to} [condition="${keyOf(from)} != 7"]`, `${from} -> ${to}`];
  });
  return digraph([...ids.map((id) => `${id} [shape=diamond]`), ...edges]);
}

/** Goes round until there are enough stages. */
function loop(size, node) {
  return digraph([
    `graph [max_steps=${size}]`,
    node('a'),
    node('b'),
    'start -> a -> b',
    'b -> a [weight=1]',
    'b -> done [condition="context.never=1"]',
  ]);
}

function digraph(lines) {
  const ends = ['start [shape=Mdiamond]', 'done [shape=Msquare]'];
  return `digraph linear {\n${[...ends, ...lines].map((line) => `  ${line}\n`).join('')}}\n`;
}

function table(best) {
  const header = ['stages', 'seconds', 'µs/stage', 'journal KiB', 'checkpoint KiB', 'files'];
  const rows = [...best].map(([size, { seconds, journal, checkpoint, files }]) => [
    size,
    seconds.toFixed(2),
    ((seconds * 1e6) / size).toFixed(0),
    (journal / 1024).toFixed(0),
    (checkpoint / 1024).toFixed(0),
    files,
  ]);
  return [header, ...rows].map((row) => row.map((cell) => String(cell).padStart(15)).join('')).join('\n');
}
