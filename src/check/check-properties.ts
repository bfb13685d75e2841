import type { Compilation } from '../compiler/compile.js';
import type { Program } from '../graph/program.js';
import type { Monitor } from '../graph/properties/monitor.js';
import type { RunEvent } from '../machine/event.js';
import { simulate } from '../run/simulate/simulate.js';
import { readScript } from '../run-directory/simulation-script.js';
import { Explorer, type ExplorerOptions } from './explorer.js';
import { type PathScript, scriptOf } from './script-of.js';

/** A run that breaks a property. */
export interface Counterexample {
  readonly script: PathScript;
  /** Started visits in their order, all branches together. */
  readonly path: readonly string[];
  /** What the run says as it ends. */
  readonly reason: string;
  /** Events of the run in the simulator. */
  readonly events: readonly RunEvent[];
}

/** Whether all runs of a pipeline have a property. */
export type PropertyVerdict = { readonly monitor: Monitor; readonly states: number } & (
  | { readonly kind: 'holds' }
  | { readonly kind: 'broken'; readonly counterexample: Counterexample }
  /** Not decided, for these reasons. */
  | { readonly kind: 'undecided'; readonly reasons: readonly string[] }
);

/** Decides each property of a compiled pipeline; a counterexample has been played through in the simulator. */
export async function checkProperties(
  compilation: Compilation & { readonly program: Program },
  options: ExplorerOptions = {},
): Promise<readonly PropertyVerdict[]> {
  const verdicts: PropertyVerdict[] = [];
  for (const monitor of compilation.program.monitors)
    verdicts.push(await checkProperty(compilation, monitor, options));
  return verdicts;
}

async function checkProperty(
  compilation: Compilation & { readonly program: Program },
  monitor: Monitor,
  options: ExplorerOptions,
): Promise<PropertyVerdict> {
  const program = { ...compilation.program, monitors: [monitor] };
  const found = new Explorer(program, options).run();
  const { states } = found;
  switch (found.kind) {
    case 'holds':
      return { monitor, states, kind: 'holds' };
    case 'undecided':
      return { monitor, states, kind: 'undecided', reasons: found.reasons };
    case 'broken': {
      const script = scriptOf(program, found.steps);
      const counterexample = await played({ ...compilation, program }, script);
      if (counterexample !== undefined) return { monitor, states, kind: 'broken', counterexample };
      const reasons = ['a run that would break it needs an order of stages that a script cannot play'];
      return { monitor, states, kind: 'undecided', reasons };
    }
  }
}

/** The run that a script plays, if it ends because of the property. */
async function played(compilation: Compilation, script: PathScript): Promise<Counterexample | undefined> {
  const events: RunEvent[] = [];
  await simulate(compilation, {
    script: readScript(script, 'of the counterexample'),
    start: 0,
    onEvent: (event) => events.push(event),
  });
  const end = events.at(-1);
  if (end?.type !== 'PipelineFailed' || end.kind !== 'property') return undefined;
  const path = events.flatMap((event) =>
    event.type === 'StageStarted' && event.attempt === 1 ? [event.node_id] : [],
  );
  return { script, path, reason: end.error, events };
}
