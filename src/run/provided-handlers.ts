import { mayReachModel } from '../graph/handler-types.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { Manifest } from '../run-directory/manifest.js';
import { RunError } from '../run-directory/run-error.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import type { ReplaySource } from './recording/replay-source.js';
import type { RunSettings } from './run-settings.js';

/**
 * Handlers and backend that a program provides: functions, of which the manifest can only record that they
 * existed.
 */
export interface ProvidedHandlers {
  readonly hasBackend: boolean;
  /** Types for which it has handlers. */
  readonly handlerTypes: ReadonlySet<string>;
}

/** Facts that decide which stages of a run do real work. */
export interface WorkOfRun {
  readonly program: Program;
  readonly script: SimulationScript;
  readonly simulate: boolean;
}

/** Beginning of a message about LLM stages without a backend (DESIGN §5). */
export const missingBackendNotice = 'no model backend is configured, so LLM stages are simulated';

/**
 * Message for a run in which LLM stages are simulated only because there is no backend; undefined if none
 * is (DESIGN §1.4, §5).
 */
export function missingBackendNoticeFor(
  run: WorkOfRun,
  { hasBackend, handlerTypes }: ProvidedHandlers,
): string | undefined {
  if (hasBackend) return undefined;
  const isPretended = workingNodes(run).some(({ handler }) => handler.llm && !handlerTypes.has(handler.type));
  return isPretended ? missingBackendNotice : undefined;
}

/** Registered types that stages of the run need, to be recorded for a resume. */
export function handlerTypesOf(run: WorkOfRun, { handlerTypes }: ProvidedHandlers): readonly string[] {
  const used = workingNodes(run).map(({ handler }) => handler.type);
  return [...new Set(used)].filter((type) => handlerTypes.has(type)).sort();
}

/**
 * Checks that a resumed run has the handlers that it was started with: one that worked for real never
 * continues as a simulation (DESIGN §1.4). Call it before the pipeline is compiled, since without its types
 * it is another one.
 * @throws RunError `usage`
 */
export function checkHandlerTypes(
  { options }: Manifest,
  simulate: boolean,
  { handlerTypes }: ProvidedHandlers,
): void {
  if (simulate) return;
  const missing = (options.handler_types ?? []).filter((type) => !handlerTypes.has(type));
  if (missing.length === 0) return;
  const types = missing.map((type) => `\`${type}\``).join(', ');
  throw new RunError(
    'usage',
    `the run was started with handlers for ${types}, which are missing now. Pass them again (\`handlers\`, or the plugin that provides them), or simulate from here on (\`simulate: true\`, \`--simulate\`)`,
  );
}

/**
 * Checks that a resumed run has a backend if it was started with one.
 * @throws RunError `usage`
 */
export function checkBackend(
  { options }: Manifest,
  run: WorkOfRun,
  { hasBackend, handlerTypes }: ProvidedHandlers,
): void {
  if (hasBackend || options.has_backend !== true) return;
  const needing = workingNodes(run).find(
    ({ handler }) => mayReachModel(handler) && !handlerTypes.has(handler.type),
  );
  if (needing === undefined) return;
  throw new RunError(
    'usage',
    `the run was started with a backend for stages such as "${needing.id}", which is missing now. Pass one again (\`backend\`, \`--backend\`), or simulate from here on (\`simulate: true\`, \`--simulate\`)`,
  );
}

/** Handlers and a backend that a resumed run did not have before, for its manifest. */
export function newlyProvided(
  { options }: Manifest,
  run: WorkOfRun,
  provided: ProvidedHandlers,
): Partial<Manifest['options']> {
  if (run.simulate) return {};
  const { has_backend: hadBackend, handler_types: before = [] } = options;
  const types = new Set([...before, ...handlerTypesOf(run, provided)]);
  const added: Partial<Manifest['options']> = {};
  if (provided.hasBackend && hadBackend !== true) added.has_backend = true;
  if (types.size > before.length) added.handler_types = [...types].sort();
  return added;
}

function workingNodes({ program, script, simulate }: WorkOfRun): readonly ProgramNode[] {
  if (simulate) return [];
  return [...program.nodes.values()].filter(({ id }) => !script.nodes.has(id));
}

/**
 * Handlers and backend of a run; a replay needs those of the recorded run.
 * @param manifest of a replay that is resumed
 */
export function providedFor(
  settings: RunSettings,
  replayed: ReplaySource | undefined,
  manifest = replayed?.recorded.manifest,
): ProvidedHandlers {
  if (replayed === undefined || manifest === undefined) return providedHandlersOf(settings);
  const { has_backend, handler_types } = manifest.options;
  return { hasBackend: has_backend === true, handlerTypes: new Set(handler_types) };
}

/** Handlers and backend of this process, to be compared with those that the run had before. */
function providedHandlersOf({ recorded, ports }: RunSettings): ProvidedHandlers {
  const types = ports.handlers.types.map((entry) => (typeof entry === 'string' ? entry : entry.type));
  return {
    hasBackend: ports.backend !== undefined && recorded.simulate !== true,
    handlerTypes: new Set(types),
  };
}
