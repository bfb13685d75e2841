// Whether lint costs no more than it must: all rules next to parsing, how that grows, each rule, and the whole command.
//
//   node bench/lint.mjs [--rounds 3] [--seconds 3] [--sizes 50,1000,10000,100000]

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { realisticPipeline } from './language/generate.mjs';
import { bench, bestOf, commands, fileWith, measure, ratio, row, section } from './language/rounds.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    sizes: { type: 'string', default: '50,1000,10000,100000' },
  },
});
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
const sizes = options.sizes.split(',').map(Number);
const flags = ['--single-threaded-gc', '--max-semi-space-size=64'];
const executable = join(import.meta.dirname, '../bin/attractor.js');

bench(rounds, (home) => {
  const files = new Map(sizes.map((size) => [size, fileWith(home, `p${size}.dot`, realisticPipeline(size))]));
  const times = new Map(
    [...files].map(([size, file]) => [
      size,
      bestOf(Array.from({ length: rounds }, () => measure('lint', file, { seconds, flags }))),
    ]),
  );
  return [
    ...[...times].flatMap(([size, time]) => phaseRows(size, time)),
    ...growthRows(times),
    ...ruleRows(files.get(10_000) ?? [...files.values()].at(-1)),
    ...commandRows(files),
  ];
});

function phaseRows(size, time) {
  const { parse, lower, transform, compile, 'all rules': rules } = time;
  return [
    section(`${size} nodes`),
    row('parse, ms', { wall: parse.wall / 1000, cpu: parse.cpu / 1000 }),
    row('lower ÷ parse', ratio(lower, parse)),
    row('transforms ÷ parse', ratio(transform, parse)),
    row('all rules ÷ parse', ratio(rules, parse), size === 10_000 ? { atMost: 3 } : undefined),
    row('compile, the program for the engine included ÷ parse', ratio(compile, parse)),
  ];
}

function growthRows(times) {
  const [few, many] = [times.get(10_000), times.get(100_000)];
  if (few === undefined || many === undefined) return [];
  const all = 'compile';
  return [section('growth'), row('100 000 nodes ÷ 10 000 nodes', ratio(many[all], few[all]), { atMost: 15 })];
}

/** The ten that take longest; what rules share is worked out before. */
function ruleRows(file) {
  const found = Object.entries(measure('rules', file, { seconds, flags }));
  const slowest = found.sort(([, a], [, b]) => b.cpu - a.cpu).slice(0, 10);
  return [
    section(`the slowest of ${found.length} rules, ms of the processor`),
    ...slowest.map(([name, time]) => row(name, { wall: Number.NaN, cpu: time.cpu / 1000 })),
  ];
}

function commandRows(files) {
  const cases = [
    ['node', ['-e', '0']],
    ['--version', [executable, '--version']],
    ['--help', [executable, '--help']],
    ...[...files]
      .filter(([size]) => size <= 1000)
      .map(([size, file]) => [`lint ${size}`, [executable, 'lint', file]]),
  ];
  const best = commands(rounds * 5, cases);
  const goals = new Map([
    ['--version', 1.25],
    ['lint 50', 1.75],
  ]);
  // Node itself takes several times as long to start where it reads these, as on machines behind a proxy.
  const reads = process.env.NODE_EXTRA_CA_CERTS ? ', which reads NODE_EXTRA_CA_CERTS' : '';
  return [
    section(`whole commands ÷ node -e 0${reads}`),
    ...[...best].slice(1).map(([name, time]) => {
      const multiple = time / best.get('node');
      const goal = goals.get(name);
      return row(name, { wall: multiple, cpu: multiple }, goal && { atMost: goal });
    }),
  ];
}
