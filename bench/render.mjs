// Whether drawing is as fast as it must be, and long pipelines are drawn at all: whole commands, as a user starts them.
//
//   node bench/render.mjs [--rounds 3] [--sizes 20,100,500,1000,2000] [--chain 5000]

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { branchingPipeline, chain } from './language/generate.mjs';
import { bench, commands, fileWith, row, section } from './language/rounds.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    sizes: { type: 'string', default: '20,100,500,1000,2000' },
    chain: { type: 'string', default: '5000' },
  },
});
const rounds = Number(options.rounds);
const executable = join(import.meta.dirname, '../bin/attractor.js');

bench(rounds, (home) => [...sizeRows(home), ...chainRows(home)]);

function sizeRows(home) {
  const out = join(home, 'out.svg');
  const cases = options.sizes.split(',').map((size) => {
    const file = fileWith(home, `p${size}.dot`, branchingPipeline(Number(size)));
    return [`${size} nodes`, [executable, 'render', file, '-o', out]];
  });
  const best = commands(rounds, [['node', ['-e', '0']], ...cases]);
  return [
    section('to SVG, the whole command ÷ node -e 0'),
    ...[...best].slice(1).map(([name, time]) => {
      const multiple = time / best.get('node');
      return row(name, { wall: multiple, cpu: multiple }, name === '20 nodes' ? { atMost: 5 } : undefined);
    }),
  ];
}

function chainRows(home) {
  const length = Number(options.chain);
  const rows = [false, true].map((inOneStatement) => {
    const file = fileWith(home, `chain-${inOneStatement}.dot`, chain(length, { inOneStatement }));
    const out = join(home, `chain-${inOneStatement}.svg`);
    const started = performance.now();
    execFileSync(process.execPath, [executable, 'render', file, '-o', out], { stdio: 'inherit' });
    const seconds = (performance.now() - started) / 1000;
    const drawn = readFileSync(out, 'utf8').match(/id="node-/g)?.length ?? 0;
    if (drawn !== length) throw new Error(`${drawn} of ${length} nodes were drawn`);
    const what = inOneStatement ? 'in one statement' : 'an edge a statement';
    return row(`${what}, seconds`, { wall: seconds, cpu: seconds });
  });
  return [section(`a chain of ${length} nodes is drawn`), ...rows];
}
