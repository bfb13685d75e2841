// What the benches of the language tools share: files of several sizes, measurements in processes of their own, verdicts.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../engine/table.mjs';

const measureScript = join(import.meta.dirname, 'measure.mjs');

/** Calls `work` with a directory that is gone afterwards, prints the rows that it returns, and sets the exit status. */
export function bench(rounds, work) {
  process.stdout.write(`${cpus().length} processors, Node ${process.version}, ${rounds} rounds, ${load()}\n`);
  const home = mkdtempSync(join(tmpdir(), 'attractor-bench-'));
  try {
    const rows = work(home);
    const failed = rows.filter((row) => row.at(-1) === 'FAIL').length;
    const passed = rows.filter((row) => row.at(-1) === 'PASS').length;
    process.stdout.write(`\n${table(rows)}\n\n${load()}\n`);
    process.stdout.write(`${failed === 0 ? 'PASS' : 'FAIL'}: ${passed} goals reached, ${failed} missed\n`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export function fileWith(home, name, text) {
  const file = join(home, name);
  writeFileSync(file, text);
  return file;
}

/** One measurement of measure.mjs; undefined where it did not end within `patience` milliseconds. */
export function measure(what, file, { seconds = 2, flags = [], patience = 600_000 } = {}) {
  const args = [...flags, measureScript, what, file, String(seconds)];
  try {
    return JSON.parse(
      execFileSync(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'inherit'],
        encoding: 'utf8',
        timeout: patience,
      }),
    );
  } catch (error) {
    process.stderr.write(`${what} of ${file}: ${error instanceof Error ? error.message : error}\n`);
    return undefined;
  }
}

/** Of several rounds the best of each thing, by the clock and by the processor. */
export function bestOf(rounds) {
  const best = {};
  for (const round of rounds) {
    for (const [name, { wall, cpu }] of Object.entries(round ?? {})) {
      const known = best[name] ?? { wall: Number.POSITIVE_INFINITY, cpu: Number.POSITIVE_INFINITY };
      best[name] = { wall: Math.min(known.wall, wall), cpu: Math.min(known.cpu, cpu) };
    }
  }
  return best;
}

export function section(title) {
  return [title];
}

/** A row: what, by the clock, nothing, by the processor, the goal and whether the better of both reaches it. */
export function row(what, { wall, cpu }, goal) {
  const better = goal?.atLeast === undefined ? Math.min(wall, cpu) : Math.max(wall, cpu);
  return [`  ${what}`, shown(wall), '', shown(cpu), ...verdict(better, goal)];
}

function verdict(value, goal) {
  if (goal === undefined) return ['', ''];
  if (goal.atLeast !== undefined) return [`>= ${goal.atLeast}`, value >= goal.atLeast ? 'PASS' : 'FAIL'];
  return [`<= ${goal.atMost}`, value <= goal.atMost ? 'PASS' : 'FAIL'];
}

function shown(value) {
  if (!Number.isFinite(value)) return '';
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

export function ratio(left, right) {
  return { wall: left.wall / right.wall, cpu: left.cpu / right.cpu };
}

/** The time of whole commands, taking turns; wall only, for the system does not say what a child took. */
export function commands(rounds, cases) {
  const best = new Map();
  // Short as they are, one moment without neighbours is enough, but it has to be met.
  for (let round = 0; round < rounds * 4; round += 1) {
    for (const [name, args] of cases) {
      const started = performance.now();
      execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, performance.now() - started));
    }
  }
  return best;
}

function load() {
  return `load ${loadavg()[0].toFixed(1)}`;
}
