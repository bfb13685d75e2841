// One measurement in a process of its own: node measure.mjs WHAT FILE [SECONDS]. Prints JSON.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');
const [what, file, seconds = '2'] = process.argv.slice(2);
const text = readFileSync(file, 'utf8');

switch (what) {
  case 'warm':
    print(await warm(await parsers()));
    break;
  case 'lint':
    print(await lintPhases());
    break;
  case 'rules':
    print(await eachRule());
    break;
  case 'once':
    print(await once());
    break;
}

/** What reads a text, by name; peers where they are installed. */
async function parsers() {
  const { parseDot } = await attractor();
  const all = new Map([['attractor', () => parseDot(text)]]);
  // By default it refuses large texts.
  const limits = { maxASTNodes: 1e9, maxInputSize: 1e9, maxEdgeChainDepth: 1e9 };
  const ast = await peer('@ts-graphviz/ast');
  if (ast !== undefined) all.set('@ts-graphviz/ast', () => ast.parse(text, limits));
  const parser = await peer('@ts-graphviz/parser');
  if (parser !== undefined) all.set('@ts-graphviz/parser', () => parser.parse(text));
  const wasm = await peer('@hpcc-js/wasm-graphviz');
  if (wasm !== undefined) {
    const graphviz = await wasm.Graphviz.load();
    all.set('wasm-graphviz', () => graphviz.read(text).delete());
  }
  return all;
}

/** The phases of a check, one after the other on what the one before has made, as `lint` goes through them; the best of each. */
async function lintPhases() {
  const { parseDot, lower, applyTransforms, builtInTransforms, validate, compile } = await attractor();
  const best = new Map();
  const until = performance.now() + Number(seconds) * 2000;
  for (let round = 0; round < 4 || performance.now() < until; round += 1) {
    const { document } = timed(best, 'parse', () => parseDot(text));
    const { graph } = timed(best, 'lower', () => lower(document));
    const transformed = timed(best, 'transform', () => applyTransforms(graph, builtInTransforms));
    timed(best, 'all rules', () => validate(transformed));
    timed(best, 'compile', () => compile(text));
  }
  return Object.fromEntries(best);
}

function timed(best, name, work) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const result = work();
  const wall = (performance.now() - started) * 1000;
  const { user, system } = process.cpuUsage(cpu);
  const known = best.get(name) ?? { wall: Number.POSITIVE_INFINITY, cpu: Number.POSITIVE_INFINITY };
  best.set(name, { wall: Math.min(known.wall, wall), cpu: Math.min(known.cpu, user + system) });
  return result;
}

/** The time of each rule alone, where what rules share has been worked out before. */
async function eachRule() {
  const { parseDot, lower, applyTransforms, builtInTransforms, validate, builtInRules } = await attractor();
  const best = new Map();
  const until = performance.now() + Number(seconds) * 1000;
  do {
    const graph = applyTransforms(lower(parseDot(text).document).graph, builtInTransforms);
    const context = contextOf(graph, validate);
    for (const rule of builtInRules) {
      const started = process.cpuUsage();
      for (const _ of rule.apply(graph, context));
      note(best, rule.name, started);
    }
  } while (performance.now() < until);
  return Object.fromEntries([...best].map(([name, cpu]) => [name, { cpu, wall: cpu }]));
}

/** What the runner hands to rules, and all rules run once. */
function contextOf(graph, validate) {
  let found;
  const spy = {
    name: 'spy',
    severity: 'info',
    apply(_, context) {
      found = context;
      return [];
    },
  };
  validate(graph, [spy]);
  return found;
}

function note(best, name, started) {
  const { user, system } = process.cpuUsage(started);
  best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, user + system));
}

/**
 * Takes turns, so that a busy moment meets all; the best of each. Before that each runs alone for the same time: in turns
 * of the same number, what is fast would hardly run at all, and be measured before the engine has compiled it.
 */
async function warm(things) {
  const best = new Map();
  for (const run of things.values()) {
    const warmUntil = performance.now() + (Number(seconds) * 1000) / things.size;
    do run();
    while (performance.now() < warmUntil);
  }
  const until = performance.now() + Number(seconds) * 1000;
  for (let round = 0; round < 2 || performance.now() < until; round += 1) {
    for (const [name, run] of things) {
      const repetitions = Math.max(1, Math.round(500_000 / text.length));
      const cpu = process.cpuUsage();
      const started = performance.now();
      for (let count = 0; count < repetitions; count += 1) run();
      const wall = ((performance.now() - started) * 1000) / repetitions;
      const { user, system } = process.cpuUsage(cpu);
      const known = best.get(name) ?? { wall: wall, cpu: Number.POSITIVE_INFINITY };
      best.set(name, {
        wall: Math.min(known.wall, wall),
        cpu: Math.min(known.cpu, (user + system) / repetitions),
      });
    }
  }
  return Object.fromEntries(best);
}

/** One parse in a fresh process: its time, and the most memory that it took beyond the text. */
async function once() {
  const { parseDot } = await attractor();
  const before = process.memoryUsage.rss();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const { document, diagnostics } = parseDot(text);
  const wall = (performance.now() - started) * 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    wall,
    cpu: user + system,
    before,
    peak: process.resourceUsage().maxRSS * 1024,
    bytes: Buffer.byteLength(text),
    errors: diagnostics.length,
    statements: document.graph?.statements.length ?? 0,
  };
}

function attractor() {
  return import(pathToFileURL(join(root, 'dist/index.js')).href);
}

/** From bench/node_modules, or from those of the project. */
async function peer(name) {
  for (const base of [join(root, 'bench/package.json'), join(root, 'package.json')]) {
    try {
      const resolved = createRequire(base).resolve(name);
      return await import(pathToFileURL(resolved).href);
    } catch {
      // The next place, or none.
    }
  }
  return undefined;
}

function print(value) {
  process.stdout.write(JSON.stringify(value));
}
