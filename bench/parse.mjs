// Whether parsing is as fast as it must be: texts of several sizes next to other parsers, memory, hostile input.
//
//   node bench/parse.mjs [--rounds 3] [--seconds 3] [--sizes 50,1000,10000,100000]
//
// All parsers take turns in one process, the best times decide: see bench/README.md.

import { parseArgs } from 'node:util';
import { realisticPipeline } from './language/generate.mjs';
import { hostileTexts } from './language/hostile.mjs';
import { bench, bestOf, fileWith, measure, ratio, row, section } from './language/rounds.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    sizes: { type: 'string', default: '50,1000,10000,100000' },
  },
});
const rounds = Number(options.rounds);
const sizes = options.sizes.split(',').map(Number);
// Whoever allocates most suffers most from busy neighbours when the collector waits for its helpers.
const flags = ['--single-threaded-gc', '--max-semi-space-size=64', '--stack-size=4000'];

bench(rounds, (home) => [
  ...sizes.flatMap((size) => sizeRows(home, size)),
  ...memoryRows(home),
  ...hostileRows(home),
]);

function sizeRows(home, size) {
  const text = realisticPipeline(size);
  const file = fileWith(home, `p${size}.dot`, text);
  const seconds = Number(options.seconds);
  const best = bestOf(Array.from({ length: rounds }, () => measure('warm', file, { seconds, flags })));
  const { attractor: ours, ...peers } = best;
  return [
    section(
      `${size} nodes, ${(text.length / 1e6).toFixed(2)} MB; ms, then how many times as long others take`,
    ),
    row('attractor', { wall: ours.wall / 1000, cpu: ours.cpu / 1000 }),
    ...Object.entries(peers).map(([name, time]) => row(name, ratio(time, ours), goalOf(name, size))),
  ];
}

/** At the sizes of pipelines that people write; for larger ones, the collector takes the time. */
function goalOf(name, size) {
  if (size > 1000) return undefined;
  return { atLeast: name === 'wasm-graphviz' ? 2 : 20 };
}

function memoryRows(home) {
  if (!sizes.includes(100_000)) return [];
  const found = measure('once', fileWith(home, 'large.dot', realisticPipeline(100_000)));
  const multiple = found.peak / found.bytes;
  return [
    section('one parse in a fresh process, 100 000 nodes'),
    row('seconds', { wall: found.wall / 1e6, cpu: found.cpu / 1e6 }),
    row('peak memory of the process ÷ the file', { wall: multiple, cpu: multiple }, { atMost: 12.5 }),
  ];
}

function hostileRows(home) {
  const rows = [...hostileTexts()].map(([name, text], index) => {
    const found = measure('once', fileWith(home, `hostile${index}.dot`, text), { patience: 60_000 });
    const seconds = { wall: (found?.wall ?? Infinity) / 1e6, cpu: (found?.cpu ?? Infinity) / 1e6 };
    return row(name, seconds, { atMost: 2 });
  });
  return [section('hostile input, seconds'), ...rows];
}
