import { marginal, over, perStep, rate, ratio, shown } from './table.mjs';

// A row of the table: what, best, median, processor, goal, verdict. The best times decide: a busy machine can only add.

/** @param rounds what each round measured */
export function timeRows(rounds) {
  const row = (what, figure, goal) => rowOf(what, over(rounds, figure), goal);
  const engine = perStep('loop 100000');
  const peer = (name) => ratio(perStep(name), engine);
  return [
    section('yardsticks, µs'),
    row('remember: Map update + push', perStep('remember')),
    row('append a line of 300 bytes', perStep('append')),
    row('append + fdatasync', perStep('append + fdatasync')),
    row('append + fdatasync, the median of them', perStep('median append + fdatasync')),
    section('a loop of two no-op stages, µs a step'),
    row('1 000 steps, with the start of the run', perStep('loop 1000')),
    row('10 000 steps', perStep('loop 10000')),
    row('100 000 steps', engine),
    row('100 000 steps ÷ append', ratio(engine, perStep('append')), atMost(8)),
    row('a step after 10 000 ÷ one before', growth('loop'), atMost(1.3)),
    section('a line of no-op stages, µs a step'),
    row('10 000 steps', perStep('chain 10000')),
    row('100 000 steps', perStep('chain 100000')),
    row('100 000 steps ÷ append', ratio(perStep('chain 100000'), perStep('chain append'))),
    row('a step after 10 000 ÷ one before', growth('chain'), atMost(1.3)),
    section('a loop of stages with a sync each'),
    row('µs a step', perStep('sync')),
    row('  ÷ append + fdatasync', ratio(perStep('sync'), perStep('append + fdatasync'))),
    row('µs a step, the median of them', perStep('median sync')),
    row(
      '  ÷ append + fdatasync',
      ratio(perStep('median sync'), perStep('median append + fdatasync')),
      atMost(1.5),
    ),
    section('100 000 no-op branches'),
    row('branches a second', rate('fan')),
    row('a branch ÷ append', ratio(perStep('fan'), perStep('fan append'))),
    section('what others take for a step, ÷ a step of 100 000'),
    row('XState, invoke, nothing kept', peer('xstate')),
    row('LangGraph, nothing kept', peer('langgraph'), atLeast(20)),
    row('LangGraph, SqliteSaver', peer('sqlite')),
  ].filter((cells, index, all) => cells !== undefined && !isEmptySection(cells, all.slice(index + 1)));
}

/** @param space what runs wrote, made and held; @param million the peak of the long loop */
export function spaceRows(space, { steps, peak }) {
  const between = (few, many, what) =>
    (space[many][what] - space[few][what]) / (space[many].steps - space[few].steps);
  const early = (what) => between('loop 1000', 'loop 10000', what);
  const late = (what) => between('loop 10000', 'loop 100000', what);
  const single = (what, value, goal) => rowOf(what, { best: value }, goal);
  return [
    section('space'),
    single('bytes written a step, up to 10 000 steps', early('bytes')),
    single('bytes written a step, up to 100 000', late('bytes')),
    single('  ÷ before', late('bytes') / early('bytes'), atMost(1.3)),
    single('bytes held a step, up to 10 000 steps', early('memory')),
    // What a step leaves behind may well be nothing, and a ratio of two such measurements is noise.
    single('bytes held a step, up to 100 000', late('memory'), atMost(Math.max(32, 1.3 * early('memory')))),
    single(`peak of a loop of ${shown(steps)} steps, MB`, peak / 1e6, atMost(150)),
    single('directories of a loop of 100 000', space['loop 100000'].directories, atMost(8)),
    // At most 64 no-op stages get a directory (src/run/driver/status-files.ts), and the run a few of its own.
    single('directories of a line of 10 000', space['chain 10000'].directories, atMost(72)),
    // Now and then a checkpoint takes a flush and a temporary file of its own.
    single(
      'flushes a step of the loop with a sync each',
      between('sync 1000', 'sync 2000', 'syncs'),
      atMost(1.05),
    ),
    single('files it creates a step', between('sync 1000', 'sync 2000', 'files'), atMost(0.05)),
  ];
}

/** @param compared what bench/tools.mjs --json printed */
export function toolRows(compared) {
  return compared.flatMap(({ parallel, cases }) => {
    const [yardstick] = cases;
    return [
      section(`tools that run \`true\`, ${parallel} at a time`),
      ...cases.flatMap(({ way, ballast, rates }) => {
        const name = `${way === 'spawn' ? 'raw spawn' : 'branches'}${ballast === 0 ? '' : `, ${ballast} MB held`}`;
        const goal = way === 'spawn' ? undefined : atMost(1.25);
        const relative = rates.map((each, index) => yardstick.rates[index] / each);
        return [
          rowOf(`${name}, a second`, { best: Math.max(...rates), median: middle(rates) }),
          ...(rates === yardstick.rates
            ? []
            : [
                rowOf(
                  '  a tool ÷ a raw spawn',
                  { best: Math.max(...yardstick.rates) / Math.max(...rates), median: middle(relative) },
                  goal,
                ),
              ]),
        ];
      }),
    ];
  });
}

function growth(name) {
  return ratio(marginal(`${name} 10000`, `${name} 100000`), marginal(`${name} 1000`, `${name} 10000`));
}

function rowOf(what, figure, goal) {
  if (figure === undefined) return undefined;
  const verdict = goal === undefined ? '' : goal.holds(figure.best) ? 'PASS' : 'FAIL';
  const numbers = [figure.best, figure.median, figure.cpu].map(shown);
  return [`  ${what}`, ...numbers, goal?.text ?? '', verdict];
}

function section(title) {
  return [title];
}

/** @param following what comes after it; undefined stands for what was not measured */
function isEmptySection(cells, following) {
  const next = following.find((row) => row !== undefined);
  return cells.length === 1 && (next === undefined || next.length === 1);
}

function atMost(limit) {
  return { text: `≤ ${shown(limit)}`, holds: (value) => value <= limit };
}

function atLeast(limit) {
  return { text: `≥ ${shown(limit)}`, holds: (value) => value >= limit };
}

function middle(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
