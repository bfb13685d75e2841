import path from 'node:path';
import type { Compilation } from '../../compiler/compile.js';
import type { Program } from '../../graph/program.js';
import type { ChildEnd, ChildRequest, ChildRun } from '../../handlers/child-runner.js';
import type { Stage } from '../../handlers/handler.js';
import type { RunEvent } from '../../machine/event.js';
import { makeDirectory } from '../../run-directory/durable-file.js';
import { type FileSystem, nodeFileSystem } from '../../run-directory/file-system.js';
import { readManifest } from '../../run-directory/manifest.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import { RunError } from '../../run-directory/run-error.js';
import { holdsRun, runFiles } from '../../run-directory/run-files.js';
import { redactedSource } from '../../secrets/redact-source.js';
import { noRedactor } from '../../secrets/redactor.js';
import type { RunResult } from '../../view/run-result.js';
import type { StartChild } from '../driver/driver-ports.js';
import { childInterviewer } from '../questions/child-interviewer.js';
import { childReplaySource, childText, type ReplaySource } from '../recording/replay-source.js';
import type { InvalidPipeline, RunOptions } from '../run-options.js';
import { childEnd, refusal } from './child-end.js';
import { displayed, readText } from './child-file.js';
import { adoptChild, childDirectory, putForeignChildAside } from './child-place.js';
import { entriesOfChild, scriptOfChild } from './child-script.js';
import { type ChildSetting, inheritedOptions } from './child-setting.js';
import { ChildSignals } from './child-signals.js';
import { ChildUsage } from './child-usage.js';
import { ChildWatch } from './child-watch.js';
import type { RunEngine } from './run-engine.js';

/** Runs the pipelines that stages of a run ask for, each below its stage (§9.4, SEMANTICS 64). */
export function childStarter(setting: ChildSetting, engine: RunEngine): StartChild {
  return (request, stage, budget) =>
    new ChildExecution(setting, engine, request, stage, new ChildUsage(stage, budget));
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
  readonly #usage: ChildUsage;
  readonly #signals: ChildSignals;
  #program: Program | undefined;

  constructor(
    setting: ChildSetting,
    engine: RunEngine,
    request: ChildRequest,
    stage: Stage,
    usage: ChildUsage,
  ) {
    this.#usage = usage;
    this.#setting = setting;
    this.#engine = engine;
    this.#request = request;
    this.#stage = stage;
    this.#directory = childDirectory(stage);
    this.#signals = new ChildSignals(stage);
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
      this.#fileSystem.writeFile(`${file}.tmp`, this.#stage.redactor?.text(text) ?? text);
      this.#fileSystem.rename(`${file}.tmp`, file);
    }
    return stages.map(({ nodeId }) => nodeId);
  }

  cancel(): void {
    this.#signals.cancel();
  }

  async #run(): Promise<ChildEnd> {
    try {
      putForeignChildAside(this.#directory, this.#stage, this.#fileSystem);
      if (this.#isContinued()) adoptChild(this.#directory, this.#stage, this.#fileSystem);
      return await (holdsRun(this.#directory, this.#fileSystem) ? this.#goOn() : this.#start());
    } finally {
      this.#signals.close();
      this.#usage.close();
    }
  }

  #isContinued(): boolean {
    const { node, visit, attempt } = this.#stage;
    return this.#setting.continued?.get(node.id) === visit && attempt === 1;
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
    const refused = options.childPolicy?.refusePlace(file, this.#request.workingDirectory);
    if (refused !== undefined) return refusal(shown, refused);
    const { replay } = this.#setting;
    // A tool may have written it, which writes nothing this time.
    const text = readText(file) ?? (replay && childText(replay, this.#stage));
    if (text === undefined) return { kind: 'missing', file: shown, isSimulated: options.simulate === true };
    if (text instanceof Error) return refusal(shown, text.message);
    const source = redactedSource(text, this.#stage.redactor ?? noRedactor);
    if (source.notice !== undefined) this.#stage.log('warning', `${shown}: ${source.notice}`);
    const child = {
      ...this.#options(),
      ...{ sourcePath: file, runDirectory: this.#directory },
      ...{ workingDirectory: this.#request.workingDirectory, inputs: this.#request.inputs },
      script: scriptOfChild(this.#setting.script, node.id),
    };
    const compilation = this.#compile(source.text, shown, child);
    const isRefused = this.#refusal(compilation, shown);
    if (isRefused !== undefined) return isRefused;
    const parent = { run_id: runId, node_id: node.id, visit, attempt };
    const call = { ...this.#call(), lineage: { parent, depth: depth + 1, maxDepth } };
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
    this.#watch.catchUp(path.join(this.#directory, runFiles.journal), (event) => this.#usage.add(event));
    const leavesFailure = !this.#isAsAdopted();
    if (!leavesFailure && this.#watch.status === 'success') {
      const how = 'had been brought to its end after the stage had failed';
      this.#stage.log('info', `the child run of "${node.id}" ${how}; its result is taken`);
    }
    const child = {
      ...this.#options(),
      ...(script && { script: scriptOfChild(script, node.id) }),
      ...(answers && { answers: entriesOfChild(answers, node.id) }),
    };
    const shown = displayed(path.join(this.#directory, runFiles.pipeline));
    const compilation = this.#compile(text, shown, child);
    const isRefused = this.#refusal(compilation, shown);
    if (isRefused !== undefined) return isRefused;
    const call = { ...this.#call(), leavesFailure };
    try {
      return this.#endOf(await this.#engine.goOn(this.#directory, compilation, child, call), compilation);
    } catch (error) {
      // Neither an answer that does not fit nor somebody else who is at work there is a reason to fail.
      if (!(error instanceof RunError) || (error.code !== 'usage' && error.code !== 'run_locked'))
        throw error;
      return { kind: 'paused', reason: `the child run of "${node.id}" cannot go on: ${error.message}` };
    }
  }

  #refusal({ program, source }: Compilation, shown: string): ChildEnd | undefined {
    const { childPolicy, simulate = false } = this.#setting.options;
    const problem = program && childPolicy?.refuseProgram({ program, source }, { isSimulated: simulate });
    return problem === undefined ? undefined : refusal(shown, problem);
  }

  /** Whether the child has done nothing since this visit took it over. */
  #isAsAdopted(): boolean {
    const { parent } = readManifest(this.#directory, this.#fileSystem);
    return parent?.adopted_at === this.#watch.seq;
  }

  #call() {
    const { replay } = this.#setting;
    const source = replay && ((): ReplaySource => childReplaySource(replay, this.#stage));
    return { stopSignal: this.#signals.stopSignal, budgetAbove: this.#usage.budget, replay: source };
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
      signal: this.#signals.cancelSignal,
      pauseSignal: this.#signals.pauseSignal,
      onEvent: (event) => this.#onEvent(event),
      ...(onChildEvent && {
        onChildEvent: (event, origin) => onChildEvent(event, { ...origin, path: [nodeId, ...origin.path] }),
      }),
    };
  }

  #onEvent(event: RunEvent): void {
    this.#watch.add(event);
    this.#usage.add(event);
    if (this.#program === undefined) return;
    const origin = { path: [this.#stage.node.id], directory: this.#directory, program: this.#program };
    this.#setting.options.onChildEvent?.(event, origin);
  }

  #endOf(result: RunResult | InvalidPipeline, compilation: Compilation): ChildEnd {
    return childEnd(result, compilation, this.#stage.node.id, this.#fileSystem);
  }
}
