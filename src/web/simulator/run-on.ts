import { choose } from './choose.js';
import type { Choice, Pending, Simulation } from './simulation.js';

/** One stage after the other, in case that they lead round and round. */
const mostStages = 200;

/** Moments of a simulation, the last one the latest; each but the first with the choice that led to it. */
export interface Moment {
  readonly choice: Choice | undefined;
  readonly simulation: Simulation;
}

/**
 * Has stages succeed until there is something to choose: a question, a stage with several ways out, several stages at the
 * same time, or nothing but time that has to pass.
 */
export async function runOn(simulation: Simulation): Promise<readonly Moment[]> {
  const moments: Moment[] = [];
  let current = simulation;
  for (let stage = 0; stage < mostStages; stage += 1) {
    const choice = onlyChoice(current, stage === 0);
    if (choice === undefined) return moments;
    current = await choose(current, choice);
    moments.push({ choice, simulation: current });
  }
  return moments;
}

/** @param isFirst true if the user has seen the first one, and wants it to succeed */
function onlyChoice({ pending, program }: Simulation, isFirst: boolean): Choice | undefined {
  const ready = pending.filter(needsChoice);
  const [one] = ready;
  if (one?.kind !== 'stage' || ready.length > 1) return undefined;
  const ways = program.nodes.get(one.effect.nodeId)?.edges.length ?? 0;
  if (ways > 1 && !isFirst) return undefined;
  return { kind: 'outcome', cursor: one.effect.cursor, entry: { outcome: 'success' } };
}

function needsChoice({ kind }: Pending): boolean {
  return kind === 'stage' || kind === 'question';
}
