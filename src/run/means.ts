import { mayReachModel } from '../graph/handler-types.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { Manifest } from '../run-directory/manifest.js';
import { RunError } from '../run-directory/run-error.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import type { RenewedOptions } from './renew-options.js';

/** What a program brings for the stages of a run: functions, of which the manifest can only say that they were there. */
export interface Means {
  readonly hasBackend: boolean;
  /** The types for which it has handlers of its own. */
  readonly handlerTypes: ReadonlySet<string>;
}

/** What a run had according to its manifest, for one that plays it back. */
export function meansBefore({ options }: Manifest): Means {
  return { hasBackend: options.has_backend === true, handlerTypes: new Set(options.handler_types) };
}

/** Which stages of a run do the work that they stand for. */
export interface WorkOfRun {
  readonly program: Program;
  readonly script: SimulationScript;
  readonly simulate: boolean;
}

/** How a message begins that tells a person of LLM stages which nobody does the work of (DESIGN §5). */
export const missingBackendNotice =
  'no model backend is configured: LLM stages are simulated, no model is called';

/** Said of a run in which LLM stages pretend only because there is no backend; undefined where none does (DESIGN §1.4, §5). */
export function missingMeansNotice(run: WorkOfRun, { hasBackend, handlerTypes }: Means): string | undefined {
  if (hasBackend) return undefined;
  const isPretended = workingNodes(run).some(({ handler }) => handler.llm && !handlerTypes.has(handler.type));
  return isPretended ? missingBackendNotice : undefined;
}

/** The registered types that stages of the run need, to be recorded for whoever resumes it. */
export function handlerTypesOf(run: WorkOfRun, { handlerTypes }: Means): readonly string[] {
  const used = workingNodes(run).map(({ handler }) => handler.type);
  return [...new Set(used)].filter((type) => handlerTypes.has(type)).sort();
}

/**
 * A run that worked for real never goes on by pretending (DESIGN §1.4): whoever resumes it brings what it was started with.
 * Asked before the pipeline is compiled, since without its types it is another one.
 * @throws RunError `usage`
 */
export function checkHandlerTypes({ options }: Manifest, simulate: boolean, { handlerTypes }: Means): void {
  if (simulate) return;
  const missing = (options.handler_types ?? []).filter((type) => !handlerTypes.has(type));
  if (missing.length === 0) return;
  const types = missing.map((type) => `\`${type}\``).join(', ');
  throw new RunError(
    'usage',
    `the run was started with handlers for ${types}, and there are none now. Give them again (\`handlers\`, or the plugin that brings them), or let everything pretend from here on (\`simulate: true\`, \`--simulate\`)`,
  );
}

/** The same of the backend. @throws RunError `usage` */
export function checkBackend(
  { options }: Manifest,
  run: WorkOfRun,
  { hasBackend, handlerTypes }: Means,
): void {
  if (hasBackend || options.has_backend !== true) return;
  const needing = workingNodes(run).find(
    ({ handler }) => mayReachModel(handler) && !handlerTypes.has(handler.type),
  );
  if (needing === undefined) return;
  throw new RunError(
    'usage',
    `the run was started with a backend, which does the work of stages such as "${needing.id}", and there is none now. Give one again (\`backend\`, \`--backend\`), or let everything pretend from here on (\`simulate: true\`, \`--simulate\`)`,
  );
}

/** What a run has now that it had not before, to be recorded. */
export function newMeans(
  { options }: Manifest,
  run: WorkOfRun,
  means: Means,
): Pick<RenewedOptions, 'hasBackend' | 'handlerTypes'> {
  if (run.simulate) return {};
  const { has_backend: hadBackend, handler_types: before = [] } = options;
  const types = new Set([...before, ...handlerTypesOf(run, means)]);
  return {
    ...(means.hasBackend && hadBackend !== true && { hasBackend: true }),
    ...(types.size > before.length && { handlerTypes: [...types].sort() }),
  };
}

function workingNodes({ program, script, simulate }: WorkOfRun): readonly ProgramNode[] {
  if (simulate) return [];
  return [...program.nodes.values()].filter(({ id }) => !script.nodes.has(id));
}
