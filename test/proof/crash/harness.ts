import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Handler, Stage } from '../../../src/handlers/handler.js';
import { builtInHandlers } from '../../../src/handlers/index.js';
import type { Outcome } from '../../../src/machine/outcome.js';
import type { FileSystem } from '../../../src/run-directory/file-system.js';
import { type PipelineRun, resumePipeline, runOnDisk, type Setup } from '../../run/harness.js';
import { essence } from './essence.js';
import type { CrashPipeline } from './pipelines.js';
import { attemptKey, placeOf, stoppedOnDisk } from './places.js';
import { Turnstile } from './turnstile.js';

export interface Recorded {
  readonly run: PipelineRun;
  readonly home: string;
  /** Every attempt of a stage that does something which was executed, sorted; see `placeOf`. */
  readonly executed: readonly string[];
  /** In which order they came to their outcomes. */
  readonly order: readonly string[];
}

/** What is known of a run that is begun or continues. */
export interface Past {
  /** The order in which stages come to their outcomes; without it, that in which they happen to. */
  readonly order?: readonly string[];
  /** Those of them that have. */
  readonly settled?: ReadonlySet<string>;
}

/** Runs a pipeline in `<home>/run`. */
export function start(
  scenario: CrashPipeline,
  home: string,
  fileSystem: FileSystem,
  past: Past = scenario.order === undefined ? {} : { order: scenario.order.split(' ') },
): Promise<Recorded> {
  mkdirSync(home, { recursive: true });
  for (const [name, text] of Object.entries(scenario.files ?? {})) writeFileSync(path.join(home, name), text);
  return record(scenario, home, past, (setup) =>
    runOnDisk(scenario.dot, {
      ...setup,
      ...(scenario.answers && { answers: scenario.answers }),
      workingDirectory: home,
      fileSystem,
      runDirectory: path.join(home, 'run'),
    }),
  );
}

/** Continues with what `start` began, or starts where nothing of a run had come to be. */
export function goOn(
  scenario: CrashPipeline,
  home: string,
  fileSystem: FileSystem,
  past?: Past,
): Promise<Recorded> {
  const directory = path.join(home, 'run');
  if (!existsSync(path.join(directory, 'manifest.json'))) return start(scenario, home, fileSystem, past);
  return record(scenario, home, past, (setup) => resumePipeline(directory, { ...setup, fileSystem }));
}

async function record(
  scenario: CrashPipeline,
  home: string,
  past: Past | undefined,
  execute: (setup: Setup) => Promise<PipelineRun>,
): Promise<Recorded> {
  const { handlers, executed, order } = notedHandlers(scenario, path.join(home, 'run'), past);
  const run = await execute({ handlers });
  return { run, home, executed: executed.sort(), order };
}

interface Noted extends Pick<Recorded, 'order'> {
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly executed: string[];
}

/** Handlers that do the work of a pipeline in a run directory, in the given order, and note it. */
export function notedHandlers(
  scenario: CrashPipeline,
  directory: string,
  { order, settled = new Set() }: Past = {},
): Noted {
  const turnstile = new Turnstile(order?.filter((key) => !settled.has(key)));
  const executed: string[] = [];
  const keyOf = ({ node, visit, attempt, logsRoot }: Stage): string =>
    `${placeOf(directory, logsRoot)}${attemptKey({ node_id: node.id, visit, attempt })}`;
  const noted = (handler: Handler): Handler => ({
    ...handler,
    async execute(stage) {
      const key = keyOf(stage);
      executed.push(key);
      const outcome = await handler.execute(stage);
      await turnstile.pass(key, stage.signal);
      return outcome;
    },
  });
  const work: Handler = { execute: (stage) => doWork(scenario, keyOf(stage), stage) };
  const handlers = Object.entries({ ...workingHandlers(), work });
  return {
    handlers: Object.fromEntries(handlers.map(([type, handler]) => [type, noted(handler)])),
    executed,
    order: turnstile.passed,
  };
}

/** The built-in ones that do something. */
function workingHandlers(): Readonly<Record<string, Handler>> {
  const instant = new Set(['start', 'exit', 'conditional', 'parallel']);
  return Object.fromEntries([...builtInHandlers(undefined)].filter(([type]) => !instant.has(type)));
}

async function doWork(
  { work = {}, takes = {} }: CrashPipeline,
  key: string,
  stage: Stage,
): Promise<Outcome | undefined> {
  const done = work[key] ?? { status: 'success' };
  const time = takes[key];
  if (time !== undefined) await stage.sleep(time);
  if (done === 'until stopped') return untilStopped(stage.signal);
  return done === 'nothing' ? undefined : done;
}

function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** What everything that is cut off is compared with. */
export interface Whole extends Recorded {
  readonly essence: unknown;
  readonly essenceWithoutFiles: unknown;
  /** Attempts that were stopped because what they did no longer mattered. */
  readonly stopped: ReadonlySet<string>;
}

export function wholeOf(recorded: Recorded): Whole {
  return {
    ...recorded,
    essence: essence(recorded.run, { files: true }),
    essenceWithoutFiles: essence(recorded.run, { files: false }),
    stopped: stoppedOnDisk(recorded.home),
  };
}

/** A run that was cut off comes to the same end, and does nothing again that had settled. */
export function expectSameRun(
  { run, executed }: Recorded,
  whole: Whole,
  settled: ReadonlySet<string>,
  name: string,
  { files = true }: { readonly files?: boolean } = {},
): void {
  expect.soft(essence(run, { files }), name).toEqual(files ? whole.essence : whole.essenceWithoutFiles);
  const missing = whole.executed.filter((key) => !settled.has(key));
  // What is stopped anyway need not begin again.
  const isLeft = (key: string): boolean => whole.stopped.has(key) && !executed.includes(key);
  expect.soft(executed, `${name}: executed`).toEqual(missing.filter((key) => !isLeft(key)));
}
