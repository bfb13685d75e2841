import type { Compilation } from '../compiler/compile.js';
import { perObject } from '../graph/per-object.js';
import type { Program } from '../graph/program.js';
import type { Monitor } from '../graph/properties/monitor.js';
import type { Inputs } from '../graph/values/declared-inputs.js';
import { flowKeysOf } from '../lint/flow/flow-keys.js';
import { givenInputs } from '../lint/flow/input-values.js';
import type { RunEvent } from '../machine/event.js';
import { simulate } from '../run/simulate/simulate.js';
import { readScript } from '../run-directory/simulation-script.js';
import { type BreakingRun, Explorer, type ExplorerOptions } from './explorer.js';
import { type PathScript, scriptOf } from './script-of.js';

/** A run that breaks a property. */
export interface Counterexample {
  readonly script: PathScript;
  /** Started visits in their order, all branches together. */
  readonly path: readonly string[];
  /** Reason with which the run ends. */
  readonly reason: string;
  /** Events of the run in the simulator. */
  readonly events: readonly RunEvent[];
  /** Reason with which the same script ends before, because it breaks another property of the pipeline first; no other run was found. */
  readonly endsBefore?: string;
}

/** Verdict on a property of all runs of a pipeline. */
export type PropertyVerdict = { readonly monitor: Monitor; readonly states: number } & (
  | { readonly kind: 'holds' }
  | { readonly kind: 'broken'; readonly counterexample: Counterexample }
  /** Not decided, for these reasons. */
  | { readonly kind: 'undecided'; readonly reasons: readonly string[] }
);

export interface CheckOptions extends ExplorerOptions {
  /** False for a counterexample that does not count; another one is then searched for. */
  readonly accepts?: (counterexample: Counterexample) => Promise<boolean>;
}

/** Decides each property of a compiled pipeline; a counterexample has been played through in the simulator. */
export async function checkProperties(
  compilation: Compilation & { readonly program: Program },
  options: CheckOptions = {},
): Promise<readonly PropertyVerdict[]> {
  const verdicts: PropertyVerdict[] = [];
  for (const monitor of compilation.program.monitors)
    verdicts.push(await checkProperty(compilation, monitor, options));
  return verdicts;
}

async function checkProperty(
  compilation: Compilation & { readonly program: Program },
  monitor: Monitor,
  { accepts, ...options }: CheckOptions,
): Promise<PropertyVerdict> {
  const program = { ...compilation.program, monitors: [monitor] };
  if (isHeldBySteps(program, monitor)) return { monitor, states: 0, kind: 'holds' };
  const explorer = new Explorer(program, options);
  let doubtful: BreakingRun | undefined;
  let masked: Counterexample | undefined;
  for (let count = 0; ; count += 1) {
    const found = explorer.run();
    const { states } = found;
    if (masked !== undefined && (found.kind !== 'broken' || count >= mostPlayed))
      return { monitor, states, kind: 'broken', counterexample: masked };
    if (found.kind === 'holds' && doubtful === undefined) return { monitor, states, kind: 'holds' };
    if (found.kind !== 'broken' || count >= mostPlayed) {
      const reasons = found.kind === 'undecided' ? found.reasons : [];
      const may = doubtful === undefined ? [] : mayBreak(doubtful);
      return { monitor, states, kind: 'undecided', reasons: [...may, ...reasons] };
    }
    const counterexample = await shown({ ...compilation, program }, found.run);
    if (counterexample === undefined || (await accepts?.(counterexample)) === false) {
      doubtful ??= found.run;
      continue;
    }
    const endsBefore = await otherEnd(compilation, counterexample);
    if (endsBefore === undefined) return { monitor, states, kind: 'broken', counterexample };
    masked ??= { ...counterexample, endsBefore };
  }
}

/** Reason with which a script ends if all properties of the pipeline are watched, where that is another one. */
async function otherEnd(
  compilation: Compilation & { readonly program: Program },
  { script, reason }: Counterexample,
): Promise<string | undefined> {
  if (compilation.program.monitors.length < 2) return undefined;
  const found = await played(compilation, script);
  return found === undefined || found.reason === reason ? undefined : found.reason;
}

/** True for a bound that `max_steps` keeps: each visit of the one line of control is a step, but for the start and the exit. */
function isHeldBySteps({ nodes, limits }: Program, { property }: Monitor): boolean {
  if (property.kind !== 'bound' || property.limit < limits.maxSteps + 2) return false;
  return [...nodes.values()].every(
    ({ parallel, edges }) => parallel === undefined && edges.every(({ loopRestart }) => !loopRestart),
  );
}

/** Most runs that are played to find one that breaks a property for certain. */
const mostPlayed = 20;

/** Reasons why it is not certain that a run breaks the property. */
function mayBreak({ steps, assumed }: BreakingRun): readonly string[] {
  const nodes = steps.flatMap(({ nodeId, way, input }) =>
    way === undefined && input.kind !== 'fan_out' ? [] : [nodeId],
  );
  const path = nodes.length > longestPath ? ['…', ...nodes.slice(-longestPath)] : nodes;
  const why =
    assumed.length === 0
      ? ['no script was found that plays this run: the simulator does something else']
      : assumed.map((about) => `it depends on ${about}`);
  return [`it may not hold: after ${path.join(' -> ')}`, ...why];
}

const longestPath = 12;

/** The run as a script plays it, with the first inputs for which it breaks the property. */
async function shown(
  compilation: Compilation & { readonly program: Program },
  run: BreakingRun,
): Promise<Counterexample | undefined> {
  const [first, ...others] = inputsToTry(compilation.program);
  const usual = await played(compilation, scriptOf(run, first));
  if (usual !== undefined || run.assumed.length === 0) return usual;
  for (const inputs of others) {
    const found = await played(compilation, scriptOf(run, inputs));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Inputs that the conditions of a program tell apart; at first, those that a run needs anyway. */
const inputsToTry = perObject(({ graph, nodes }: Program): readonly Inputs[] => {
  const { beginnings } = flowKeysOf(graph, [...nodes.values()], { ofEngine: true });
  return [{}, ...beginnings.map((values) => givenInputs(graph, values))].slice(0, mostInputs);
});

const mostInputs = 16;

/** The run that a script plays, if it ends because of the property. */
async function played(compilation: Compilation, script: PathScript): Promise<Counterexample | undefined> {
  const { path, events } = await playedRun(compilation, script);
  const end = events.at(-1);
  if (end?.type !== 'PipelineFailed' || end.kind !== 'property') return undefined;
  return { script, path, reason: end.error, events };
}

/** The run that the simulator makes of a script, with its started visits in their order. */
export async function playedRun(
  compilation: Compilation,
  script: PathScript,
): Promise<Pick<Counterexample, 'path' | 'events'>> {
  const events: RunEvent[] = [];
  await simulate(compilation, {
    script: readScript(script, 'of the counterexample'),
    start: 0,
    onEvent: (event) => events.push(event),
  });
  const path = events.flatMap((event) =>
    event.type === 'StageStarted' && event.attempt === 1 ? [event.node_id] : [],
  );
  return { path, events };
}
