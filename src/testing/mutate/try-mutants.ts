import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import type { Program } from '../../graph/program.js';
import { checkExpectations } from '../check-expectations.js';
import type { Exploration, Trial } from '../generate/explore.js';
import { type Observation, playCase, type Setup } from '../play-case.js';
import type { TestCase } from '../test-file.js';
import { type Mutant, mutantsOf } from './mutants.js';

/** A change, and what comes of it. */
export interface TriedMutant {
  readonly mutant: Mutant;
  /**
   * `noticed` by a case; `missed` although a simulation shows another path, status or value; `alike` in all simulations
   * that were tried.
   */
  readonly result: 'noticed' | 'missed' | 'alike';
  /** What is unusual about a simulation that shows the change, if it is missed. */
  readonly shownBy: readonly string[] | undefined;
}

/**
 * Makes one change after the other, and plays the cases.
 * @param exploration simulations of the pipeline as it is, which show changes that no case notices
 */
export async function tryMutants(
  program: Program,
  handlerTypes: KnownHandlerTypes,
  cases: readonly TestCase[],
  exploration: Exploration,
): Promise<readonly TriedMutant[]> {
  const played: PlayedCase[] = [];
  for (const one of cases) played.push({ one, seen: await playCase(program, one) });
  const inputs = cases[0]?.inputs;
  const shown: PlayedTrial[] = [];
  for (const trial of exploration.trials.filter(({ isCutOff }) => !isCutOff).slice(0, mostCompared)) {
    const setup = { script: trial.script, inputs, max_steps: exploration.mostSteps };
    shown.push({ trial, setup, seen: await playCase(program, setup) });
  }
  const tried: TriedMutant[] = [];
  for (const mutant of mutantsOf(program, handlerTypes))
    tried.push(await tryMutant(mutant, program, played, shown));
  return tried;
}

/** Simulations with which a change is compared that no case notices: the first ones are the simplest. */
const mostCompared = 60;

/** A simulation by its script, with which that of a changed pipeline is compared. */
interface PlayedTrial {
  readonly trial: Trial;
  readonly setup: Setup;
  readonly seen: Observation;
}

interface PlayedCase {
  readonly one: TestCase;
  readonly seen: Observation;
}

async function tryMutant(
  mutant: Mutant,
  program: Program,
  played: readonly PlayedCase[],
  shown: readonly PlayedTrial[],
): Promise<TriedMutant> {
  const changed = mutant.build();
  const mayShow = ({ seen }: { readonly seen: Observation }): boolean =>
    mayDiffer(mutant, program, changed, seen);
  for (const { one, seen } of played.filter(mayShow)) {
    const other = await playChanged(changed, one, seen);
    if (other === undefined || checkExpectations(one.expect, other).length > 0)
      return { mutant, result: 'noticed', shownBy: undefined };
  }
  for (const { trial, setup, seen } of shown.filter(mayShow)) {
    const other = await playChanged(changed, setup, seen);
    if (other === undefined || differs(other, seen))
      return { mutant, result: 'missed', shownBy: trial.deviations };
  }
  return { mutant, result: 'alike', shownBy: undefined };
}

/** False for a run that cannot be another one: it never comes to the changed node, nor to one that branches. */
function mayDiffer({ nodeId, kind }: Mutant, program: Program, changed: Program, seen: Observation): boolean {
  if (kind === 'removed_gate' && program.requireGoalGates) return true;
  if ((seen.visits[nodeId] ?? 0) > 0) return true;
  return [...program.nodes.values()].some(
    ({ id, parallel }) =>
      parallel !== undefined &&
      (seen.visits[id] ?? 0) > 0 &&
      changed.nodes.get(id)?.parallel?.joinId !== parallel.joinId,
  );
}

/** Undefined if the changed pipeline cannot be played at all. */
async function playChanged(
  changed: Program,
  setup: Setup,
  before: Observation,
): Promise<Observation | undefined> {
  // A run that has become endless is another one long before the limit of the pipeline.
  const most = Math.min(setup.max_steps ?? changed.limits.maxSteps, 50 + 3 * before.path.length);
  try {
    return await playCase(changed, { ...setup, max_steps: most });
  } catch {
    return undefined;
  }
}

/** True for another path, status or value. */
function differs(other: Observation, seen: Observation): boolean {
  const essence = ({ status, path, context }: Observation): string => JSON.stringify([status, path, context]);
  return essence(other) !== essence(seen);
}
