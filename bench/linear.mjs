// Whether a run of n stages costs O(n) (DESIGN §1.5): runs linear pipelines of 1 000 and of 10 000 stages that do nothing,
// as a user would, and compares the times.
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

const kinds = [
  { name: 'simulated LLM stages', node: (id) => `${id} [prompt="Do step ${id}"]` },
  { name: 'diamonds', node: (id) => `${id} [shape=diamond]` },
];

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    dir: { type: 'string', default: tmpdir() },
  },
});

const home = mkdtempSync(join(options.dir, 'attractor-bench-'));
try {
  const verdicts = kinds.map(measureKind);
  process.exitCode = verdicts.every((passes) => passes) ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** Interleaves the sizes, so that a busy moment of the machine meets both, and takes the best of each. */
function measureKind({ name, node }) {
  const best = new Map();
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const size of sizes) {
      const measured = measure(size, node);
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

function measure(size, node) {
  // Nothing is removed between the runs: ext4 is slow to create files for seconds after many were removed.
  const directory = mkdtempSync(join(home, 'run-'));
  const file = join(directory, 'linear.dot');
  const run = join(directory, 'run');
  writeFileSync(file, pipeline(size, node));
  const args = [executable, 'run', file, '--run-dir', run, '--simulate', '--max-steps', '20000'];
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(`the run of ${size} stages ended with ${status}: ${stderr}`);
  return {
    seconds,
    journal: statSync(join(run, 'events.jsonl')).size,
    checkpoint: statSync(join(run, 'checkpoint.json')).size,
    files: readdirSync(run, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      .length,
  };
}

function pipeline(size, node) {
  const ids = Array.from({ length: size }, (_, index) => `s${index + 1}`);
  const chain = ['start', ...ids, 'done'].map((id, index, all) =>
    index === 0 ? '' : `${all[index - 1]} -> ${id}`,
  );
  const lines = ['start [shape=Mdiamond]', 'done [shape=Msquare]', ...ids.map(node), ...chain.slice(1)];
  return `digraph linear {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
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
