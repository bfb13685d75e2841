import type { Program } from '../../graph/program.js';
import { declaredInputs, type Inputs, withDefaultInputs } from '../../graph/values/declared-inputs.js';
import type { InputBody } from '../../machine/input.js';
import { initialState } from '../../machine/state.js';
import { externalizeInputs } from '../../run/driver/externalize.js';
import { readInputs } from '../../run/read-inputs.js';
import { memoryArtifacts } from '../../run/simulate/memory-artifacts.js';
import { memoryStore } from '../../run/simulate/memory-store.js';
import { advanceSimulation } from './advance-simulation.js';
import { afterDue } from './choose.js';
import type { Simulation } from './simulation.js';

/**
 * First moment of a simulation by hand: the run has begun, and has reached the first stage that needs a
 * decision.
 * @param start in milliseconds since 1970
 * @param given inputs; declared ones that are missing have their defaults
 */
export async function beginSimulation(
  program: Program,
  start: number,
  given: Inputs = {},
): Promise<Simulation> {
  const artifacts = memoryArtifacts(() => start);
  const { values, truncatedInputs } = readInputs(withDefaultInputs(given, declaredInputs(program.graph)));
  const nothing: Simulation = {
    program,
    state: initialState,
    now: start,
    inputs: 0,
    saves: 0,
    pending: [],
    performed: [],
    events: [],
    artifacts,
    store: memoryStore(),
  };
  const inputs = externalizeInputs(values, 'inputs.0', artifacts);
  const remarks = truncatedInputs.map((message): InputBody => ({ kind: 'log', level: 'warning', message }));
  const first: InputBody = { kind: 'start', runId: 'simulation', graphHash: '', inputs };
  return afterDue(await advanceSimulation(nothing, [first, ...remarks]));
}
