import { compile } from '../../../src/compiler/compile.js';
import type { Inputs } from '../../../src/graph/values/declared-inputs.js';
import { beginSimulation } from '../../../src/web/simulator/begin-simulation.js';
import { choose } from '../../../src/web/simulator/choose.js';
import { nextDeadline } from '../../../src/web/simulator/next-deadline.js';
import type { Choice, Pending, Simulation } from '../../../src/web/simulator/simulation.js';

const startTime = Date.UTC(2026, 0, 1);

/** The first moment of a simulation of a pipeline that is valid. */
export function begun(dot: string, inputs?: Inputs): Promise<Simulation> {
  const { program, diagnostics } = compile(dot);
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return beginSimulation(program, startTime, inputs);
}

export async function chosen(dot: string, choices: readonly Choice[]): Promise<Simulation> {
  let simulation = await begun(dot);
  for (const choice of choices) simulation = await choose(simulation, choice);
  return simulation;
}

/** Decides what is done next; undefined where nothing can be. */
export type Chooser = (simulation: Simulation) => Choice | undefined;

export async function playedThrough(first: Simulation, chooser: Chooser, steps: number): Promise<Simulation> {
  let simulation = first;
  for (let step = 0; step < steps; step += 1) {
    const choice = chooser(simulation);
    if (choice === undefined) return simulation;
    simulation = await choose(simulation, choice);
  }
  return simulation;
}

/** Chooses as a stream of numbers has it. */
export function chooserOf(numbers: Iterator<number>): Chooser {
  const draw = (count: number): number => Number(numbers.next().value) % count;
  return (simulation) => {
    const ready = simulation.pending.filter(({ kind }) => kind === 'stage' || kind === 'question');
    const mayWait = nextDeadline(simulation) !== undefined;
    if (mayWait && (ready.length === 0 || draw(8) === 0)) return { kind: 'let_time_pass' };
    const one = ready[draw(Math.max(1, ready.length))];
    return one === undefined ? undefined : choiceFor(one, draw);
  };
}

function choiceFor(one: Pending, draw: (count: number) => number): Choice {
  if (one.kind === 'question') {
    const option = one.question.options[draw(one.question.options.length)];
    return { kind: 'answer', cursor: one.effect.cursor, typed: option?.key ?? '' };
  }
  if (one.kind !== 'stage') throw new Error('only stages and questions wait for a choice');
  const outcome = (['success', 'success', 'success', 'partial_success', 'fail', 'retry'] as const)[draw(6)];
  const label = ['Go', 'Stop', undefined, undefined][draw(4)];
  return {
    kind: 'outcome',
    cursor: one.effect.cursor,
    entry: {
      outcome: outcome ?? 'success',
      ...(label !== undefined && { preferred_label: label }),
      ...(draw(3) === 0 && { context_updates: { n: draw(4) } }),
      ...((outcome === 'fail' || outcome === 'retry') && { failure_reason: 'red' }),
    },
  };
}
