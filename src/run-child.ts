import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Compilation } from './compile.js';
import type { ChildEnd, ChildRequest, ChildRun } from './engine/handlers/child-runner.js';
import { messageOf } from './engine/handlers/error-category.js';
import { type Stage, StageStopped } from './engine/handlers/handler.js';
import type { RunEvent } from './engine/machine/event.js';
import { resolveReferences } from './engine/runtime/artifact-reference.js';
import { ArtifactStore } from './engine/runtime/artifact-store.js';
import { childInterviewer } from './engine/runtime/child-interviewer.js';
import { childDirectory, putForeignChildAside } from './engine/runtime/child-place.js';
import { entriesOfChild, scriptOfChild } from './engine/runtime/child-script.js';
import { ChildWatch } from './engine/runtime/child-watch.js';
import { systemClock } from './engine/runtime/clock.js';
import type { StartChild } from './engine/runtime/driver-ports.js';
import { makeDirectory } from './engine/runtime/durable-file.js';
import { type FileSystem, nodeFileSystem } from './engine/runtime/file-system.js';
import { readPipeline } from './engine/runtime/resume-run.js';
import { holdsRun, runFiles } from './engine/runtime/run-directory.js';
import { describeSystemError, RunError } from './engine/runtime/run-error.js';
import type { RunResult } from './engine/runtime/run-result.js';
import type { SimulationScript } from './engine/runtime/simulation-script.js';
import type { Lineage } from './engine/runtime/start-run.js';
import { graphAttribute } from './graph/attributes.js';
import type { Program } from './graph/program.js';
import type { InvalidPipeline, ResumeOptions, RunOptions } from './run-options.js';

/** What a run hands on to the pipelines that its stages run (§9.4). */
export interface ChildSetting {
  /** Of the run itself. */
  readonly options: RunOptions;
  readonly place: RunPlace;
  /** What is scripted for a child that starts. */
  readonly script: SimulationScript;
  /** What this call of `resume` was given for a child that goes on, in place of what it was started with. */
  readonly given: Pick<ResumeOptions, 'script' | 'answers'>;
  /** How many runs there are above it, and how many there may be above any run below it. */
  readonly depth: number;
  readonly maxDepth: number;
}

/** Where a run is at home. */
export interface RunPlace {
  /** The file of the pipeline, from which those of its children are seen; without one it is the working directory. */
  readonly source: string | undefined;
  readonly workingDirectory: string;
}

interface Levels {
  readonly depth?: number | undefined;
  readonly maxDepth?: number | undefined;
}

/**
 * How deep pipelines may be nested (§9.4): what the run above leaves, or what the pipeline itself says where that is less.
 */
export function levelsOf(
  program: Program,
  { depth = 0, maxDepth = Number.POSITIVE_INFINITY }: Levels = {},
): Pick<Lineage, 'depth' | 'maxDepth'> {
  return { depth, maxDepth: Math.min(maxDepth, depth + graphAttribute(program.graph, 'limits.depth')) };
}

/** What a child run is given beside what any run may be given. */
export interface ChildCall {
  /** Aborting it stops the run at once, whatever `pauseSignal` has said. */
  readonly stopSignal: AbortSignal;
  /** Of a run that starts. */
  readonly lineage?: Lineage;
}

/** How runs are started and resumed; whoever does that hands it in, because a child run has children of its own. */
export interface RunEngine {
  compile(text: string, options: RunOptions): Compilation;
  start(
    compilation: Compilation,
    options: RunOptions,
    child: Required<ChildCall>,
  ): Promise<RunResult | InvalidPipeline>;
  goOn(
    directory: string,
    compilation: Compilation,
    options: ResumeOptions,
    child: ChildCall,
  ): Promise<RunResult | InvalidPipeline>;
}

/** Runs the pipelines that stages of a run ask for, each below its stage (§9.4, SEMANTICS 64). */
export function childStarter(setting: ChildSetting, engine: RunEngine): StartChild {
  return (request, stage) => new ChildExecution(setting, engine, request, stage);
}

/** One attempt of a stage to have a child run. */
class ChildExecution implements ChildRun {
  readonly end: Promise<ChildEnd>;
  readonly #setting: ChildSetting;
  readonly #engine: RunEngine;
  readonly #request: ChildRequest;
  readonly #stage: Stage;
  readonly #directory: string;
  readonly #fileSystem: FileSystem;
  readonly #watch = new ChildWatch();
  readonly #cancelling = new AbortController();
  readonly #pausing = new AbortController();
  readonly #stopping = new AbortController();
  #program: Program | undefined;

  constructor(setting: ChildSetting, engine: RunEngine, request: ChildRequest, stage: Stage) {
    this.#setting = setting;
    this.#engine = engine;
    this.#request = request;
    this.#stage = stage;
    this.#directory = childDirectory(stage);
    this.#fileSystem = setting.options.fileSystem ?? nodeFileSystem;
    this.end = this.#run();
    // Whoever waits for it is told; a supervisor may not wait yet.
    this.end.catch(() => undefined);
  }

  telemetry(): ReturnType<ChildRun['telemetry']> {
    return this.#watch.telemetry(this.#directory);
  }

  steer(fileName: string, text: string): readonly string[] {
    if (this.#program === undefined) return [];
    const stages = this.#watch.activeStages(this.#program);
    for (const { place } of stages) {
      const directory = path.join(this.#directory, place);
      makeDirectory(directory, this.#fileSystem);
      // Whole or not at all: somebody may be reading it.
      const file = path.join(directory, fileName);
      this.#fileSystem.writeFile(`${file}.tmp`, text);
      this.#fileSystem.rename(`${file}.tmp`, file);
    }
    return stages.map(({ nodeId }) => nodeId);
  }

  cancel(): void {
    this.#cancelling.abort();
  }

  async #run(): Promise<ChildEnd> {
    const stopListening = this.#listen();
    try {
      putForeignChildAside(this.#directory, this.#stage, this.#fileSystem);
      return holdsRun(this.#directory, this.#fileSystem) ? await this.#goOn() : await this.#start();
    } finally {
      stopListening();
    }
  }

  /** A stage that will run again has its child paused; one whose work is not wanted any more has it cancelled. */
  #listen(): () => void {
    const { signal, pauseSignal } = this.#stage;
    const onStop = (): void => {
      if (willRunAgain(signal.reason)) this.#stopping.abort({ reason: messageOf(signal.reason) });
      else this.#cancelling.abort();
    };
    const onPause = (): void =>
      this.#pausing.abort({ mode: 'after_stage', reason: messageOf(pauseSignal.reason) });
    const stops = [listenTo(signal, onStop), listenTo(pauseSignal, onPause)];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async #start(): Promise<ChildEnd> {
    const { depth, maxDepth, place, options } = this.#setting;
    const { node, runId, visit, attempt } = this.#stage;
    const home = place.source === undefined ? place.workingDirectory : path.dirname(place.source);
    const file = path.resolve(home, this.#request.file);
    const shown = displayed(file);
    if (depth >= maxDepth) {
      const reason = `the pipeline ${shown} is not run: pipelines are nested ${depth} levels deep here, and the limit (\`limits.depth\`) is ${maxDepth}. Does a pipeline run itself?`;
      return { kind: 'refused', reason };
    }
    const text = readText(file);
    if (text === undefined) return { kind: 'missing', file: shown, isSimulated: options.simulate === true };
    if (text instanceof Error) return refusal(shown, text.message);
    const child = {
      ...this.#options(),
      ...{ sourcePath: file, runDirectory: this.#directory },
      ...{ workingDirectory: this.#request.workingDirectory, inputs: this.#request.inputs },
      script: scriptOfChild(this.#setting.script, node.id),
    };
    const compilation = this.#compile(text, shown, child);
    const parent = { run_id: runId, node_id: node.id, visit, attempt };
    const call = { stopSignal: this.#stopping.signal, lineage: { parent, depth: depth + 1, maxDepth } };
    try {
      return this.#endOf(await this.#engine.start(compilation, child, call), compilation);
    } catch (error) {
      // What is scripted for the child does not fit it.
      if (error instanceof RunError && error.code === 'usage') return refusal(shown, error.message);
      throw error;
    }
  }

  async #goOn(): Promise<ChildEnd> {
    const { node } = this.#stage;
    const { script, answers } = this.#setting.given;
    const text = readPipeline(this.#directory, this.#fileSystem);
    this.#watch.catchUp(path.join(this.#directory, runFiles.journal));
    const child = {
      ...this.#options(),
      ...(script && { script: scriptOfChild(script, node.id) }),
      ...(answers && { answers: entriesOfChild(answers, node.id) }),
    };
    const compilation = this.#compile(text, displayed(path.join(this.#directory, runFiles.pipeline)), child);
    const call = { stopSignal: this.#stopping.signal };
    try {
      return this.#endOf(await this.#engine.goOn(this.#directory, compilation, child, call), compilation);
    } catch (error) {
      // Neither an answer that does not fit nor somebody else who is at work there is a reason to fail.
      if (!(error instanceof RunError) || (error.code !== 'usage' && error.code !== 'run_locked'))
        throw error;
      return { kind: 'paused', reason: `the child run of "${node.id}" cannot go on: ${error.message}` };
    }
  }

  #compile(text: string, name: string, options: RunOptions): Compilation {
    const compilation = this.#engine.compile(text, { ...options, sourcePath: name });
    this.#program = compilation.program;
    return compilation;
  }

  /** What is inherited, and the ways to and from the child. */
  #options(): RunOptions {
    const inherited = inheritedOptions(this.#setting.options);
    const { interviewer, onChildEvent } = inherited;
    const nodeId = this.#stage.node.id;
    const asking = { nodeId, runId: () => this.#watch.runId };
    return {
      ...inherited,
      ...(interviewer && { interviewer: childInterviewer(interviewer, asking) }),
      signal: this.#cancelling.signal,
      pauseSignal: this.#pausing.signal,
      onEvent: (event) => this.#onEvent(event),
      ...(onChildEvent && {
        onChildEvent: (event, origin) => onChildEvent(event, { ...origin, path: [nodeId, ...origin.path] }),
      }),
    };
  }

  #onEvent(event: RunEvent): void {
    this.#watch.add(event);
    if (this.#program === undefined) return;
    const origin = { path: [this.#stage.node.id], directory: this.#directory, program: this.#program };
    this.#setting.options.onChildEvent?.(event, origin);
  }

  #endOf(result: RunResult | InvalidPipeline, { source }: Compilation): ChildEnd {
    const { id } = this.#stage.node;
    switch (result.status) {
      case 'invalid':
        return refusal(source.name, describeErrors(result, source));
      case 'paused': {
        const at = result.waiting_node === undefined ? '' : ` ("${id}/${result.waiting_node}")`;
        const why = result.paused_reason ?? 'it was interrupted';
        return { kind: 'paused', reason: `the child run of "${id}" is paused: ${why}${at}` };
      }
      case 'success':
      case 'fail':
      case 'cancelled': {
        const { status } = result;
        return { kind: 'ended', result: { ...result, status, context: this.#valuesOf(result) } };
      }
    }
  }

  /** The artifacts of the child are not those of the parent. */
  #valuesOf({ context }: RunResult): RunResult['context'] {
    const artifacts = new ArtifactStore({
      directory: path.join(this.#directory, 'artifacts'),
      fileSystem: this.#fileSystem,
      now: () => (this.#setting.options.clock ?? systemClock).now(),
    });
    const values = Object.entries(context).map(([key, value]) => [key, resolveReferences(value, artifacts)]);
    return Object.fromEntries(values);
  }
}

/** A child has inputs, answers and a script of its own, and its limits are those of its pipeline. */
function inheritedOptions(options: RunOptions & ResumeOptions): RunOptions {
  const { answers: _answers, script: _script, inputs: _inputs, maxSteps: _maxSteps, ...others } = options;
  const {
    runDirectory: _run,
    workingDirectory: _working,
    sourcePath: _source,
    from: _from,
    ...rest
  } = others;
  return rest;
}

/** Whether a stage that was told to stop comes back when its run is resumed; a run that can't be written any more is, later. */
function willRunAgain(reason: unknown): boolean {
  return reason instanceof StageStopped ? reason.why === 'paused' : reason instanceof RunError;
}

/** @returns stops listening */
function listenTo(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) action();
  signal.addEventListener('abort', action, { once: true });
  return () => signal.removeEventListener('abort', action);
}

/** @returns undefined where there is no such file, an error where it is no text */
function readText(file: string): string | Error | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return new Error(error instanceof TypeError ? 'it is not UTF-8 text' : describeSystemError(error));
  }
}

function refusal(file: string, problem: string): ChildEnd {
  return { kind: 'refused', reason: `the pipeline ${file} cannot be run: ${problem}` };
}

const errorsNamed = 3;

function describeErrors({ diagnostics }: InvalidPipeline, source: Compilation['source']): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const named = errors.slice(0, errorsNamed).map(({ rule, message, span }) => {
    const { line, column } = source.positionAt(span.start);
    return `${source.name}:${line}:${column}: ${message} [${rule}]`;
  });
  const more = errors.length > named.length ? ` (and ${errors.length - named.length} more)` : '';
  return `${named.join('; ')}${more}`;
}

/** Relative where that is shorter to read: below the current directory. */
function displayed(file: string): string {
  const relative = path.relative('', file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}
