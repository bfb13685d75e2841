const ends = ['start [shape=Mdiamond]', 'done [shape=Msquare]'];

/** Two nodes that go round until the limit of the run ends it. */
export function loop(steps, attributes = 'shape=diamond') {
  return digraph([
    `graph [max_steps=${steps}]`,
    ...ends,
    `a [${attributes}]`,
    `b [${attributes}]`,
    'start -> a',
    'a -> b',
    'b -> a [weight=1]',
    'b -> done [condition="context.never=1"]',
  ]);
}

/** One diamond after the other. */
export function chain(size) {
  const ids = stages(size);
  const way = ['start', ...ids, 'done'];
  return digraph([
    `graph [max_steps=${2 * size}]`,
    ...ends,
    ...ids.map((id) => `${id} [shape=diamond]`),
    ...way.slice(1).map((id, index) => `${way[index]} -> ${id}`),
  ]);
}

/** As many branches, each of them a diamond. */
export function fan(size) {
  const ids = stages(size);
  return digraph([
    `graph [max_steps=${2 * size}]`,
    ...ends,
    'fan [shape=component]',
    'join [shape=tripleoctagon]',
    'start -> fan',
    'join -> done',
    ...ids.flatMap((id) => [`${id} [shape=diamond]`, `fan -> ${id}`, `${id} -> join`]),
  ]);
}

function stages(size) {
  return Array.from({ length: size }, (_, index) => `s${index + 1}`);
}

function digraph(lines) {
  return `digraph bench {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}
