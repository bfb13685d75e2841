import type { BackendChoice } from '../backends/choose-backend.js';
import { listFirst } from '../diagnostic/list-first.js';
import type { Program } from '../graph/program.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import { missingBackendNotice } from '../run/provided-handlers.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { type BackendPlan, isWithoutModel } from './backend-plan.js';
import { isModelStage, simulateBackend } from './extensions.js';

/** How much of a run is only pretended. */
export interface Pretence {
  readonly program: Program;
  readonly extensions: ChosenExtensions;
  readonly script: SimulationScript | undefined;
  readonly simulate: boolean;
  readonly seed: number | undefined;
  readonly plan: BackendPlan;
}

/** What a person should know of a run in which stages only pretend to do their work (DESIGN §5), before it begins. */
export function simulationNotes(pretence: Pretence): readonly string[] {
  return pretence.simulate ? [simulationNote(pretence)] : missingBackendNote(pretence, true);
}

/** The same of a run that goes on, which may have been of another kind before. */
export function resumedSimulationNotes(
  pretence: Pretence,
  before: { readonly simulate: boolean; readonly isScriptKept: boolean },
): readonly string[] {
  return [
    ...changeNote(pretence, before.simulate),
    ...scriptNote(pretence, before.isScriptKept),
    ...(pretence.simulate ? [simulationNote(pretence)] : missingBackendNote(pretence, false)),
  ];
}

function simulationNote({ seed }: Pretence): string {
  return `simulating: no stage does any real work${seed === undefined ? '' : ` (seed ${seed})`}`;
}

function changeNote({ simulate }: Pretence, wasSimulated: boolean): readonly string[] {
  if (simulate === wasSimulated) return [];
  return simulate
    ? [
        'the stages so far did real work; from now on they pretend, whoever resumes the run, until `--no-simulate`',
      ]
    : ['the stages so far only pretended; from now on they do real work'];
}

function scriptNote({ script, simulate }: Pretence, isKept: boolean): readonly string[] {
  const ids = [...(script?.nodes.keys() ?? [])];
  if (ids.length === 0 || simulate || !isKept) return [];
  return [`scripted, as when the run was started: ${listFirst(ids)}; all other stages do real work`];
}

/** @param names whether the stages are named, as they are before any of them has run */
function missingBackendNote(
  { program, script, extensions, plan }: Pretence,
  names: boolean,
): readonly string[] {
  const stages = [...program.nodes.values()].filter(
    (node) => isModelStage(node, extensions) && script?.nodes.has(node.id) !== true,
  );
  const simulated = stages.filter(({ id }) => isWithoutModel(plan, id)).map(({ id }) => id);
  if (simulated.length === 0 || extensions.backend === simulateBackend) return [];
  if (plan.kind === 'auto') return partlyMissingNotes(plan, simulated);
  const known = [...extensions.backends.keys()];
  const choice = known.length === 0 ? '' : `; --backend chooses one: ${known.join(', ')}`;
  const lack = plan.kind === 'none' ? whatIsLacking(plan.choices, simulated) : '';
  return [`${missingBackendNotice}${names ? ` (${listFirst(simulated)})` : ''}${lack}${choice}`];
}

/** Of stages that name a model: why nobody can call it. */
function whatIsLacking(choices: ReadonlyMap<string, BackendChoice>, stages: readonly string[]): string {
  const problems = new Set(
    stages.flatMap((id) => {
      const choice = choices.get(id);
      return choice?.kind === 'none' && choice.isNamed ? [choice.problem] : [];
    }),
  );
  return problems.size === 0 ? '' : `; ${listFirst([...problems])}`;
}

/** Other stages do have a backend: what these lack is worth saying. */
function partlyMissingNotes(
  { choices }: Extract<BackendPlan, { kind: 'auto' }>,
  simulated: readonly string[],
): readonly string[] {
  const byProblem = new Map<string, string[]>();
  for (const id of simulated) {
    const choice = choices.get(id);
    const problem = choice?.kind === 'none' ? choice.problem : '';
    byProblem.set(problem, [...(byProblem.get(problem) ?? []), id]);
  }
  return [...byProblem].map(
    ([problem, ids]) => `no model is called for ${listFirst(ids)}, which are simulated: ${problem}`,
  );
}
