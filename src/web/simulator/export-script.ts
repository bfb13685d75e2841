import type { Compilation } from '../../compiler/compile.js';
import type { JsonValue } from '../../graph/json.js';
import type { SimulationResult } from '../../run/simulate/simulate.js';
import { simulate } from '../../run/simulate/simulate.js';
import { type SimulationScript, scriptToJson } from '../../run-directory/simulation-script.js';
import { scriptOf } from './script-of.js';
import type { Simulation } from './simulation.js';

export interface ExportedScript {
  readonly script: SimulationScript;
  /** Script as YAML, with a comment at its head. */
  readonly text: string;
  /**
   * True if a simulation with it takes the same path: if branches retry, or are ready at once, chance may
   * decide otherwise.
   */
  readonly isFaithful: boolean;
}

/**
 * A script that takes the path of a simulation by hand again; tried out, so that it says whether it does. Times are in it only
 * where the choices alone would have branches take turns otherwise.
 */
export async function exportScript(
  simulation: Simulation,
  pipeline: Compilation,
  inputs: Readonly<Record<string, JsonValue>> = {},
): Promise<ExportedScript> {
  const start = simulation.state.startedAt;
  const tried: SimulationScript[] = [];
  for (const exactness of ['choices', 'choices_and_times'] as const) {
    const script = scriptOf(simulation, exactness);
    const played = await simulate(pipeline, { script, inputs, start });
    if (takesSamePath(simulation, played)) return written(script, true);
    tried.push(script);
  }
  const [plain] = tried;
  return written(plain ?? scriptOf(simulation, 'choices'), false);
}

type Played = Awaited<ReturnType<typeof simulate>>;

/** True if a simulation takes the same path up to the current step of the manual one. */
function takesSamePath({ state }: Simulation, played: Played): boolean {
  if (played.status === 'invalid') return false;
  const path = state.path.toArray();
  const isOver = state.status !== 'running';
  if (isOver && !isSameEnd(state.status, played)) return false;
  if (isOver && played.path.length !== path.length) return false;
  return path.every((id, index) => played.path[index] === id);
}

function isSameEnd(status: string, { status: played }: SimulationResult): boolean {
  return status === played;
}

async function written(script: SimulationScript, isFaithful: boolean): Promise<ExportedScript> {
  const { stringify } = await import('yaml');
  const head = [
    '# Plays a pipeline as it was played by hand: attractor run PIPELINE --simulate --script THIS_FILE',
    ...(isFaithful
      ? []
      : [
          '# Branches may take turns in another order than they did: chance decides which goes first, and how long they pause.',
        ]),
  ];
  return { script, isFaithful, text: `${head.join('\n')}\n${stringify(scriptToJson(script))}` };
}
