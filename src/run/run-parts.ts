import path from 'node:path';
import { type Compilation, compile } from '../compiler/compile.js';
import { heldTo, type Program } from '../graph/program.js';
import { unsupportedFeatures } from '../graph/unsupported-features.js';
import { withHandlerTypes } from '../graph/with-handler-types.js';
import type { Handler } from '../handlers/handler.js';
import { redactingBackend } from '../handlers/redacting-backend.js';
import { withSimulatedProvider } from '../handlers/simulated-provider.js';
import type { PipelineFiles } from '../lint/named-files.js';
import { attractorDirectory } from '../run-directory/durable-file.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { type Clock, systemClock } from './driver/clock.js';
import type { IoBoundary } from './recording/io-boundary.js';
import { newRunId } from './run-id.js';
import type { InvalidPipeline } from './run-options.js';
import type { RunSettings, SettledPorts } from './run-settings.js';
import { virtualClock } from './simulate/virtual-clock.js';

// Parts of a run that several of `start-run.ts`, `resume-run.ts` and `drive-run.ts` derive from its
// settings.

/**
 * Compiles a text with the language extensions of the ports.
 * @param name of the file, for messages
 * @param files that the text may name; without them its children are not looked at
 */
export function compileWith(
  text: string,
  {
    handlers,
    transforms,
    rules,
    ruleSettings,
    properties,
  }: Pick<SettledPorts, 'handlers' | 'transforms' | 'rules' | 'ruleSettings' | 'properties'>,
  name?: string,
  files?: PipelineFiles,
): Compilation {
  const handlerTypes = handlers.types;
  return compile(text, { name, transforms, rules, ruleSettings, properties, handlerTypes, files });
}

/**
 * Handlers of a run.
 * @param ioBoundary between them and the world
 */
export function handlersOf(
  { handlers, backend: given, secrets }: SettledPorts,
  ioBoundary?: IoBoundary,
): ReadonlyMap<string, Handler> {
  const backend = given && redactingBackend(withSimulatedProvider(given), secrets);
  return ioBoundary === undefined ? handlers.handlers(backend) : ioBoundary.handlers(handlers, backend);
}

/** Pipeline, with the handlers that execute it. */
export interface Runnable {
  readonly program: Program;
  readonly handlers: ReadonlyMap<string, Handler>;
}

/** Refuses a pipeline with errors (§7.1), or with a stage that nothing can execute. */
export function runnableOf(
  { program, diagnostics }: Compilation,
  ports: SettledPorts,
): Runnable | InvalidPipeline {
  if (program === undefined) return { status: 'invalid', diagnostics };
  const typed = withHandlerTypes(program, ports.handlers.types);
  const resolved = heldTo(typed, ports.properties ?? []);
  const handlers = handlersOf(ports);
  const unsupported = unsupportedFeatures(resolved, handlers);
  return unsupported.length > 0
    ? { status: 'invalid', diagnostics: unsupported }
    : { program: resolved, handlers };
}

/** Name of a run and its directories. */
export interface RunLocation extends NewRunLocation {
  readonly workingDirectory: string;
}

/**
 * Clock of a run.
 * @param seq of the last event: a simulation that is resumed does not repeat its random numbers
 */
export function clockOf({ recorded, ports }: RunSettings, seq = 0): Clock {
  if (ports.clock !== undefined) return ports.clock;
  const { simulate, seed } = recorded;
  return simulate === true
    ? virtualClock({ seed: seed === undefined ? undefined : seed + seq })
    : systemClock;
}

/** Script with other answers for some of its nodes. */
export function mergeAnswers(
  script: SimulationScript,
  answers: ReadonlyMap<string, readonly string[]> | undefined,
): SimulationScript {
  return answers === undefined ? script : { ...script, answers: new Map([...script.answers, ...answers]) };
}

/** Id and directory of a new run. */
export interface NewRunLocation {
  readonly runId: string;
  readonly directory: string;
}

/** @param clock of the run, whose time is part of its id */
export function newRunLocation(graphName: string, recorded: RecordedSettings, clock: Clock): NewRunLocation {
  const runId = recorded.runId ?? newRunId(graphName, clock);
  const home = path.resolve(recorded.workingDirectory ?? '.');
  return { runId, directory: recorded.runDirectory ?? path.join(home, attractorDirectory, 'runs', runId) };
}
