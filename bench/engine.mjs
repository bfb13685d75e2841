// Whether the engine keeps to its budget: holds runs of stages that do nothing against what any journal has to do,
// against themselves at other sizes, and against other engines where those are installed (`npm ci --prefix bench`).
//
//   node bench/engine.mjs [--rounds 3] [--dir DIR] [--quick] [--only loop,chain,sync,fan,peers,space,tools]
//
// Ratios are taken inside a round, and the best times decide: see bench/README.md.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { spaceRows, timeRows, toolRows } from './engine/goals.mjs';
import { howToInstall } from './engine/peers.mjs';
import { table } from './engine/table.mjs';

/** By measure, the package that it needs. */
const peers = {
  xstate: 'xstate',
  langgraph: '@langchain/langgraph',
  sqlite: '@langchain/langgraph-checkpoint-sqlite',
};

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string' },
    dir: { type: 'string', default: tmpdir() },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: 'loop,chain,sync,fan,peers,space,tools' },
  },
});
const { quick } = options;
const rounds = Number(options.rounds ?? (quick ? 1 : 3));
const wanted = new Set(options.only.split(','));
// What a peer takes is told in steps of the loop.
if (wanted.has('peers')) wanted.add('loop');

const home = mkdtempSync(join(options.dir, 'attractor-bench-'));
try {
  const rows = compare();
  process.stdout.write(`\n${table(rows)}\n\n`);
  const failed = rows.filter((row) => row.at(-1) === 'FAIL').length;
  const passed = rows.filter((row) => row.at(-1) === 'PASS').length;
  process.stdout.write(`${failed === 0 ? 'PASS' : 'FAIL'}: ${passed} goals reached, ${failed} missed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

function compare() {
  process.stdout.write(`${cpus().length} processors, Node ${process.version}, ${rounds} rounds, ${load()}\n`);
  const timed = ['sync', 'loop', 'chain', 'fan'].filter((name) => wanted.has(name));
  if (wanted.has('peers')) timed.push(...installedPeers());
  const measured = Array.from({ length: rounds }, (_, index) => {
    const round = Object.assign({}, ...timed.map((name) => measure(name)));
    process.stdout.write(`round ${index + 1} of ${rounds} done, ${load()}\n`);
    return round;
  });
  return [
    ...timeRows(measured),
    ...(wanted.has('space') ? spaceRows(measure('space'), measure('million')) : []),
    ...(wanted.has('tools') ? toolRows(measureTools()) : []),
  ];
}

function measure(name) {
  // Nobody measures what a machine does about files that were removed: see bench/linear.mjs.
  const dir = mkdtempSync(join(home, 'measure-'));
  const script = join(import.meta.dirname, 'engine/measure.mjs');
  // A long loop shows what a user's process holds: nobody may collect for it.
  const args = [...(name === 'million' ? [] : ['--expose-gc']), script, name, '--dir', dir];
  return JSON.parse(node([...args, ...(quick ? ['--quick'] : [])]));
}

function measureTools() {
  const script = join(import.meta.dirname, 'tools.mjs');
  const few = quick ? ['--tools', '200', '--parallel', '64'] : [];
  const sized = ['--rounds', String(rounds), '--dir', home, ...few];
  return JSON.parse(node([script, '--json', '--ways', 'spawn,stage', ...sized]));
}

function node(args) {
  return execFileSync(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
}

function installedPeers() {
  const isInstalled = (name) => existsSync(join(import.meta.dirname, 'node_modules', name, 'package.json'));
  return Object.entries(peers).flatMap(([name, dependency]) => {
    if (isInstalled(dependency)) return [name];
    process.stdout.write(`without ${dependency}, which is not installed: ${howToInstall}\n`);
    return [];
  });
}

function load() {
  return `load ${loadavg()[0].toFixed(1)}`;
}
