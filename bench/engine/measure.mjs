// One measurement of bench/engine.mjs, in a process of its own: no other heap, no code compiled for other work.
//
//   node --expose-gc bench/engine/measure.mjs NAME --dir DIR [--quick]

import { parseArgs } from 'node:util';
import { compiled, doingNothing, play, playCounted } from './attractor.mjs';
import { langGraph, sqliteSaver, xstateInvoke } from './peers.mjs';
import { chain, fan, loop } from './pipelines.mjs';
import { alternate } from './timed.mjs';
import { append, appendAndSync, remember } from './yardsticks.mjs';

const measures = {
  loop: measureLoop,
  chain: measureChain,
  sync: measureSync,
  fan: measureFan,
  xstate: () => measurePeer('xstate', xstateInvoke, 20_000),
  langgraph: () => measurePeer('langgraph', langGraph, 4_000),
  sqlite: () => measurePeer('sqlite', (directory) => langGraph(directory, sqliteSaver), 2_000),
  million: measureMillion,
  space: measureSpace,
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { dir: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const { dir: home, quick } = options;
const sizes = [1_000, 10_000, 100_000];
const turns = quick ? 1 : 2;

process.stdout.write(JSON.stringify(await measures[positionals[0]]()));

async function measureLoop() {
  const pipelines = sizes.map((steps) => ({ steps, pipeline: compiled(loop(steps)) }));
  const short = pipelines.filter(({ steps }) => steps <= 10_000);
  await warmUp(short);
  return {
    ...(await alternate(turns, {
      append: { steps: 100_000, work: () => append(home, 100_000) },
      remember: { steps: 100_000, work: () => remember(home, 100_000) },
      ...runsOf('loop', pipelines),
    })),
    // They are short: more of them, so that one at least is not disturbed.
    ...(await alternate(4 * turns, runsOf('loop', short))),
  };
}

async function measureChain() {
  const pipelines = sizes.map((steps) => ({ steps, pipeline: compiled(chain(steps)) }));
  const short = pipelines.filter(({ steps }) => steps <= 10_000);
  await warmUp(short);
  return {
    ...(await alternate(turns, {
      'chain append': { steps: 100_000, work: () => append(home, 100_000) },
      ...runsOf('chain', pipelines),
    })),
    ...(await alternate(4 * turns, runsOf('chain', short))),
  };
}

/**
 * Whoever waits for the disk on a busy machine waits for a processor after it, up to a hundred times as long: the mean tells
 * little but how busy it is. So each step is timed too, and the median of the steps of a run is kept.
 */
async function measureSync() {
  const steps = quick ? 1_000 : 10_000;
  const pipeline = compiled(loop(steps, 'type=nothing'));
  let times = [];
  const onStep = () => times.push(performance.now());
  const medians = { bare: [], engine: [] };
  const timedSteps = (work, into) => async () => {
    times = [];
    await work();
    into.push(medianPause(times));
  };
  const bare = () => appendAndSync(home, steps, onStep);
  const engine = () => play(pipeline, home, steps, { handlers: doingNothing(onStep) });
  // And long enough: after each collection, which comes before every turn, the compiler has to start over for a while.
  await engine();
  const means = await alternate(2 * turns, {
    'append + fdatasync': { steps, work: timedSteps(bare, medians.bare) },
    sync: { steps, work: timedSteps(engine, medians.engine) },
  });
  return {
    ...means,
    'median append + fdatasync': { steps: 1, wall: Math.min(...medians.bare) },
    'median sync': { steps: 1, wall: Math.min(...medians.engine) },
  };
}

/** Between one call and the next, in microseconds. */
function medianPause(times) {
  const pauses = times.slice(1).map((time, index) => 1000 * (time - times[index]));
  return pauses.sort((a, b) => a - b)[pauses.length >> 1];
}

async function measureFan() {
  const branches = 100_000;
  const pipeline = compiled(fan(branches));
  await warmUp([{ steps: 10_000, pipeline: compiled(fan(10_000)) }]);
  return alternate(turns, {
    'fan append': { steps: branches, work: () => append(home, branches) },
    fan: { steps: branches, work: () => play(pipeline, home, branches) },
  });
}

async function measurePeer(name, prepare, steps) {
  const work = await prepare(home);
  await work(steps / 4);
  return alternate(quick ? 1 : 2, { [name]: { steps, work: () => work(steps) } });
}

async function measureMillion() {
  const steps = quick ? 100_000 : 1_000_000;
  await play(compiled(loop(steps)), home, steps);
  return { steps, peak: process.resourceUsage().maxRSS * 1024 };
}

/** What a run writes, makes and holds does not depend on the moment: once is enough. */
async function measureSpace() {
  const counted = {};
  const count = async (name, pipeline, steps) => {
    counted[`${name} ${steps}`] = await playCounted(compiled(pipeline), home, steps);
  };
  for (const steps of [1_000, 1_000, 10_000, 100_000]) await count('loop', loop(steps), steps);
  await count('chain', chain(10_000), 10_000);
  await count('sync', loop(1_000, 'type=nothing'), 1_000);
  await count('sync', loop(2_000, 'type=nothing'), 2_000);
  return counted;
}

function runsOf(name, pipelines) {
  return Object.fromEntries(
    pipelines.map(({ steps, pipeline }) => [
      `${name} ${steps}`,
      { steps, work: () => play(pipeline, home, steps) },
    ]),
  );
}

/** Until the code is compiled: the first runs of a process would otherwise pay for all that follow. */
async function warmUp(pipelines) {
  append(home, 20_000);
  for (let turn = 0; turn < 3; turn += 1) {
    for (const { steps, pipeline } of pipelines) await play(pipeline, home, steps);
  }
}
