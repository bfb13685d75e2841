import { listFirst } from '../diagnostic/list-first.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';

/** Degree to which a run is simulated. */
export interface SimulationState {
  readonly script: SimulationScript | undefined;
  readonly simulate: boolean;
  readonly seed: number | undefined;
}

/** Notes for the user about a run in which no stage does real work (DESIGN §5), before it begins. */
export function simulationNotes(state: SimulationState): readonly string[] {
  return state.simulate ? [simulationNote(state)] : [];
}

/** Notes about a resumed run, which may have been simulated or not before. */
export function resumedSimulationNotes(
  state: SimulationState,
  before: { readonly simulate: boolean; readonly isScriptKept: boolean },
): readonly string[] {
  return [
    ...changeNote(state, before.simulate),
    ...scriptNote(state, before.isScriptKept),
    ...simulationNotes(state),
  ];
}

function simulationNote({ seed }: SimulationState): string {
  return `simulating: no stage does any real work${seed === undefined ? '' : ` (seed ${seed})`}`;
}

function changeNote({ simulate }: SimulationState, wasSimulated: boolean): readonly string[] {
  if (simulate === wasSimulated) return [];
  return simulate
    ? [
        'the stages so far did real work; from now on they are simulated, also after later resumes, until `--no-simulate`',
      ]
    : ['the stages so far were simulated; from now on they do real work'];
}

function scriptNote({ script, simulate }: SimulationState, isKept: boolean): readonly string[] {
  const ids = [...(script?.nodes.keys() ?? [])];
  if (ids.length === 0 || simulate || !isKept) return [];
  return [`scripted, as at the start of the run: ${listFirst(ids)}; all other stages do real work`];
}
