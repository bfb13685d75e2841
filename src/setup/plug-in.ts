import type { CodergenBackend } from '../handlers/codergen-backend.js';
import { describeFailure } from '../plugins/describe-failure.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import type { Closable, PluginEnvironment } from '../plugins/plugin.js';
import type { HandlerRegistry } from '../run/driver/handler-registry.js';
import type { ConsoleInterviewer } from '../run/questions/console.js';
import type { Interviewer } from '../run/questions/interviewer.js';
import type { CommonRunOptions } from '../run/run.js';
import type { BackendPlan } from './backend-plan.js';
import { compileOptionsOf } from './extensions.js';
import { builtInInterviewers } from './interviewers.js';
import { unknownName } from './unknown-name.js';
import { UsageError } from './usage-error.js';

/** Run that is about to begin. */
export interface PluggableRun {
  readonly extensions: ChosenExtensions;
  readonly workingDirectory: string;
  /** True if no person may be asked. */
  readonly isUnattended: boolean;
  readonly plan: BackendPlan;
}

/** Extensions of a run, created and ready. */
export interface PluggedIn {
  readonly options: CommonRunOptions;
  /**
   * Releases its resources, so that the process can end.
   * @param onProblem called with each failure to close one
   */
  close(onProblem: (message: string) => void): Promise<void>;
}

/**
 * Creates the chosen handlers, backend and interviewer.
 * @throws UsageError for an unknown name, and for one that cannot be created: before anything runs
 */
export async function plugIn(run: PluggableRun, console: ConsoleInterviewer): Promise<PluggedIn> {
  const { extensions, isUnattended, workingDirectory } = run;
  const makeInterviewer = interviewerNamed(extensions, console);
  const environment = { workingDirectory };
  const backend = await withKnownPrices(await makeBackend(run), run);
  let interviewer: (Interviewer & Closable) | undefined;
  try {
    interviewer = isUnattended ? undefined : await makeInterviewer(environment);
  } catch (error) {
    await backend?.close?.();
    throw error;
  }
  const { handlerTypes: _types, ...compiling } = compileOptionsOf(extensions);
  const handlers = await registryOf(extensions);
  return {
    options: { ...compiling, handlers, backend, interviewer },
    async close(onProblem) {
      await close('interviewer', interviewer, onProblem);
      await close('backend', backend, onProblem);
    },
  };
}

/** Registry with the handlers of plugins. */
export async function registryOf({ handlers }: ChosenExtensions): Promise<HandlerRegistry> {
  const { HandlerRegistry } = await import('../run/driver/handler-registry.js');
  const registry = new HandlerRegistry();
  for (const { type, handler, ...description } of handlers) registry.register(type, handler, description);
  return registry;
}

async function close(
  what: string,
  closable: Closable | undefined,
  onProblem: (message: string) => void,
): Promise<void> {
  try {
    await closable?.close?.();
  } catch (error) {
    onProblem(`the ${what} could not be closed: ${describeFailure(error)}`);
  }
}

type Maker<Made> = (environment: PluginEnvironment) => Promise<Made & Closable>;

async function makeBackend({
  plan,
  extensions,
  workingDirectory,
}: PluggableRun): Promise<(CodergenBackend & Closable) | undefined> {
  switch (plan.kind) {
    case 'none':
      return undefined;
    case 'plugin': {
      const entry = extensions.backends.get(plan.name);
      return entry && maker('backend', entry, 'run')({ workingDirectory });
    }
    case 'one':
    case 'auto': {
      const { autoBackend, oneBackend } = await import('../backends/auto.js');
      if (plan.kind === 'auto') return autoBackend(plan.environment);
      return oneBackend(plan.definition, plan.environment);
    }
  }
}

/** Backend with costs by the names of models, and by the prices in the configuration (SEMANTICS §12). */
async function withKnownPrices(
  backend: (CodergenBackend & Closable) | undefined,
  { extensions }: PluggableRun,
): Promise<(CodergenBackend & Closable) | undefined> {
  if (backend === undefined) return undefined;
  const { withPrices } = await import('../backends/prices.js');
  return withPrices(backend, extensions.settings.prices);
}

function interviewerNamed(
  { interviewer: name = 'console', interviewers }: ChosenExtensions,
  console: ConsoleInterviewer,
): Maker<Interviewer> {
  const entry = interviewers.get(name);
  if (entry !== undefined) return maker('interviewer', entry, 'ask');
  const builtIn = builtInInterviewers.get(name);
  if (builtIn !== undefined) return () => builtIn(console);
  throw unknownName('interviewer', name, [...builtInInterviewers.keys(), ...interviewers.keys()]);
}

interface Makable<Made> {
  readonly name: string;
  create(environment: PluginEnvironment): Made | Promise<Made>;
}

/** @param method that the result must have: it may come from code that no compiler has seen */
function maker<Made extends object>(
  what: string,
  entry: Makable<Made>,
  method: keyof Made & string,
): Maker<Made> {
  return async (environment) => {
    let made: Made | undefined;
    try {
      made = await entry.create(environment);
    } catch (error) {
      throw new UsageError(`the ${what} "${entry.name}" cannot be made: ${describeFailure(error)}`);
    }
    if (typeof made?.[method] === 'function') return made;
    throw new UsageError(
      `the ${what} "${entry.name}" cannot be used: "create" returned no object with a function "${method}"`,
    );
  };
}
