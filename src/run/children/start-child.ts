import path from 'node:path';
import type { Compilation } from '../../compiler/compile.js';
import type { StageBudgets } from '../../graph/budget-limit.js';
import type { Program } from '../../graph/program.js';
import type { ChildEnd, ChildRequest, ChildRun } from '../../handlers/child-runner.js';
import type { Stage } from '../../handlers/handler.js';
import type { PipelineFiles } from '../../lint/named-files.js';
import type { RunEvent } from '../../machine/event.js';
import { makeDirectoryBelow } from '../../run-directory/durable-file.js';
import type { FileSystem } from '../../run-directory/file-system.js';
import { readManifest } from '../../run-directory/manifest.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import type { RecordedSettings } from '../../run-directory/recorded-fields.js';
import { RunError } from '../../run-directory/run-error.js';
import { holdsRun, runFiles } from '../../run-directory/run-files.js';
import type { SimulationScript } from '../../run-directory/simulation-script.js';
import { redactedSource } from '../../secrets/redact-source.js';
import { noRedactor } from '../../secrets/redactor.js';
import { apply } from '../../view/fold/apply.js';
import { emptyView } from '../../view/fold/run-view.js';
import type { RunResult } from '../../view/run-result.js';
import type { LeftVisit } from '../continuation.js';
import type { StartChild } from '../driver/driver-ports.js';
import type { DurableLog } from '../driver/durable-log.js';
import type { StagesElsewhere } from '../elsewhere/stages-elsewhere.js';
import { pipelineFiles } from '../pipeline-files.js';
import { type AskingChild, childInterviewer } from '../questions/child-interviewer.js';
import type { RunQuestions } from '../questions/run-questions.js';
import type { Replay } from '../recording/replay.js';
import { childReplaySource, childText, type ReplaySource } from '../recording/replay-source.js';
import type { InvalidPipeline } from '../run-options.js';
import { type RunSettings, withInputs, withPorts, withRecorded } from '../run-settings.js';
import { childEnd, refusal } from './child-end.js';
import { childHome, displayed, readChildText } from './child-file.js';
import { adoptChild, childDirectory, putForeignChildAside } from './child-place.js';
import { entriesOfChild, scriptOfChild } from './child-script.js';
import { ChildSignals } from './child-signals.js';
import { ChildUsage } from './child-usage.js';
import { catchUp, telemetryOf, workingStages } from './child-watch.js';
import { fittingInputs, inputRefusal } from './fitting-inputs.js';
import { inheritSettings, propertiesBelow } from './inherit-settings.js';
import { depthLimitName, type Levels } from './levels.js';
import type { RunEngine } from './run-engine.js';
import type { ScriptUse } from './script-use.js';

/** Run whose stages run pipelines (§9.4). */
export interface ParentRun extends Levels {
  readonly settings: RunSettings;
  /** Script, with entries for a child that starts. */
  readonly script: SimulationScript;
  /** Settings of this call of `resume` that replace those of a child that continues. */
  readonly given: Pick<RecordedSettings, 'script' | 'answers'>;
  readonly questions: RunQuestions;
  readonly scriptUse: ScriptUse;
  /** Log that keeps its children too. */
  readonly durableLog: DurableLog | undefined;
  /** Set if the run is played back: its children are too. */
  readonly replay: Replay | undefined;
  /** Visits that failed or were stopped, by the `visitKey` of the one that continues each. */
  readonly continued: ReadonlyMap<string, LeftVisit> | undefined;
}

/** Runs the pipelines that stages of a run ask for, each below its stage (§9.4, SEMANTICS 64). */
export function childStarter(parent: ParentRun, engine: RunEngine): StartChild {
  return (request, stage, budget, elsewhere) =>
    new ChildExecution({ ...parent, elsewhere }, engine, request, stage, new ChildUsage(stage, budget));
}

/** Run above one child. */
interface RunAbove extends ParentRun {
  /** Performs stages of the child in a directory on other machines. */
  readonly elsewhere: ((directory: string) => StagesElsewhere) | undefined;
}

/** Execution of a child run for one attempt of a stage. */
class ChildExecution implements ChildRun {
  readonly end: Promise<ChildEnd>;
  readonly #parent: RunAbove;
  readonly #engine: RunEngine;
  readonly #request: ChildRequest;
  readonly #stage: Stage;
  readonly #directory: string;
  readonly #fileSystem: FileSystem;
  readonly #view = emptyView();
  readonly #usage: ChildUsage;
  readonly #signals: ChildSignals;
  #program: Program | undefined;

  constructor(parent: RunAbove, engine: RunEngine, request: ChildRequest, stage: Stage, usage: ChildUsage) {
    this.#usage = usage;
    this.#parent = parent;
    this.#engine = engine;
    this.#request = request;
    this.#stage = stage;
    this.#directory = childDirectory(stage);
    this.#signals = new ChildSignals(stage);
    this.#fileSystem = parent.settings.ports.fileSystem;
    this.end = this.#run();
    // Callers that wait get the error; a supervisor may not wait yet.
    this.end.catch(() => undefined);
  }

  telemetry(): ReturnType<ChildRun['telemetry']> {
    return telemetryOf(this.#view, this.#directory);
  }

  steer(fileName: string, text: string): readonly string[] {
    if (this.#program === undefined) return [];
    const stages = workingStages(this.#view, this.#program);
    for (const { place } of stages) {
      const directory = makeDirectoryBelow(this.#directory, place, this.#fileSystem);
      const file = path.join(directory, fileName);
      this.#fileSystem.writeFile(file, this.#stage.redactor?.text(text) ?? text);
    }
    return stages.map(({ nodeId }) => nodeId);
  }

  cancel(): void {
    this.#signals.cancel();
  }

  async #run(): Promise<ChildEnd> {
    try {
      putForeignChildAside(this.#directory, this.#stage, this.#fileSystem);
      const left = this.#leftVisit();
      if (left !== undefined) adoptChild(this.#directory, this.#owner, left, this.#fileSystem);
      return await (holdsRun(this.#directory, this.#fileSystem) ? this.#resume() : this.#start());
    } finally {
      this.#signals.close();
      this.#usage.close();
    }
  }

  get #owner() {
    const { node, runId, visit, attempt, stageDirectory } = this.#stage;
    return { node, runId, visit, attempt, stageDirectory, workingDirectory: this.#request.workingDirectory };
  }

  /** Visit that this one continues; its later attempts have children of their own. */
  #leftVisit(): LeftVisit | undefined {
    const { runId, idempotencyKey, attempt } = this.#stage;
    return attempt === 1 ? this.#parent.continued?.get(idempotencyKey.slice(runId.length + 1)) : undefined;
  }

  async #start(): Promise<ChildEnd> {
    const { depth, maxDepth, settings, replay } = this.#parent;
    const { recorded, ports } = settings;
    const { node, runId, visit, attempt } = this.#stage;
    const { file: name, workingDirectory, inputs } = this.#request;
    const file = path.resolve(childHome(recorded.sourcePath, recorded.workingDirectory ?? '.'), name);
    const shown = displayed(file);
    if (depth >= maxDepth) {
      const limit = depthLimitName(this.#parent, ports.bounds);
      const reason = `the pipeline ${shown} is not run: pipelines are nested ${depth} levels deep here, and the limit (${limit}) is ${maxDepth}. Does a pipeline run itself?`;
      return { kind: 'refused', reason };
    }
    const refused = ports.childPolicy?.refusePlace(file, workingDirectory);
    if (refused !== undefined) return refusal(shown, refused);
    // In the recorded run a tool may have written the file, which is not repeated now.
    const text = readChildText(file) ?? (replay && childText(replay, this.#stage));
    if (text === undefined) return { kind: 'missing', file: shown, isSimulated: recorded.simulate === true };
    if (text instanceof Error) return refusal(shown, text.message);
    const source = redactedSource(text, this.#stage.redactor ?? noRedactor);
    if (source.notice !== undefined) this.#stage.log('warning', `${shown}: ${source.notice}`);
    const compilation = this.#compile(source.text, shown, this.#filesBeside(file));
    const fitting = fittingInputs(compilation, inputs);
    const isRefused = this.#refusal(compilation, shown) ?? inputRefusal(shown, fitting);
    if (isRefused !== undefined) return isRefused;
    const parent = { run_id: runId, node_id: node.id, visit, attempt };
    const call = { ...this.#call(), lineage: { parent, depth: depth + 1, maxDepth } };
    try {
      const child = withRecorded(withInputs(this.#settings(), fitting.inputs), {
        sourcePath: file,
        runDirectory: this.#directory,
        workingDirectory,
        script: scriptOfChild(this.#parent.script, node.id),
        stageBudgets: this.#stageBudgets(),
      });
      return this.#endOf(await this.#engine.start(compilation, child, call), compilation);
    } catch (error) {
      // The script for the child does not fit it.
      if (error instanceof RunError && error.code === 'usage') return refusal(shown, error.message);
      throw error;
    }
  }

  async #resume(): Promise<ChildEnd> {
    const { node } = this.#stage;
    const { script, answers } = this.#parent.given;
    const text = readPipeline(this.#directory, this.#fileSystem);
    catchUp(this.#view, path.join(this.#directory, runFiles.journal), (event) => this.#usage.add(event));
    const leavesFailure = !this.#isAsAdopted();
    if (!leavesFailure && this.#view.status === 'success') {
      const how = 'finished after the stage had failed';
      this.#stage.log('info', `the child run of "${node.id}" ${how}; its result is used`);
    }
    const child = withRecorded(this.#settings(), {
      script: script && scriptOfChild(script, node.id),
      answers: answers && entriesOfChild(answers, node.id),
      stageBudgets: this.#stageBudgets(),
    });
    const shown = displayed(path.join(this.#directory, runFiles.pipeline));
    const compilation = this.#compile(text, shown);
    const isRefused = this.#refusal(compilation, shown);
    if (isRefused !== undefined) return isRefused;
    const call = { ...this.#call(), leavesFailure };
    try {
      return this.#endOf(await this.#engine.resume(this.#directory, compilation, child, call), compilation);
    } catch (error) {
      // A wrong answer, or another process that executes the child, is not a reason to fail.
      if (!(error instanceof RunError) || (error.code !== 'usage' && error.code !== 'run_locked'))
        throw error;
      return { kind: 'paused', reason: `the child run of "${node.id}" cannot continue: ${error.message}` };
    }
  }

  /** Budgets that the call of the run above gives to stages of the child. */
  #stageBudgets(): StageBudgets | undefined {
    const { stageBudgets } = this.#parent.settings.recorded;
    const own = entriesOfChild(new Map(Object.entries(stageBudgets ?? {})), this.#stage.node.id);
    return own.size === 0 ? undefined : Object.fromEntries(own);
  }

  #refusal({ program, source }: Compilation, shown: string): ChildEnd | undefined {
    const { recorded, ports } = this.#parent.settings;
    const run = { isSimulated: recorded.simulate === true };
    const problem = program && ports.childPolicy?.refuseProgram({ program, source }, run);
    return problem === undefined ? undefined : refusal(shown, problem);
  }

  /** True if the child has done nothing since this visit took it over. */
  #isAsAdopted(): boolean {
    const { parent } = readManifest(this.#directory, this.#fileSystem);
    return parent?.adopted_at === this.#view.seq;
  }

  #call() {
    const { replay, questions, scriptUse, durableLog, elsewhere } = this.#parent;
    const source = replay && ((): ReplaySource => childReplaySource(replay, this.#stage));
    return {
      stopSignal: this.#signals.stopSignal,
      budgetAbove: this.#usage.budget,
      questions: questions.below(this.#asking),
      scriptUse: scriptUse.below(this.#stage.node.id),
      durableLog: durableLog?.below(this.#directory),
      elsewhere: elsewhere?.(this.#directory),
      replay: source,
    };
  }

  /** Files that the child may name; in a replay they are in the recording. */
  #filesBeside(file: string): PipelineFiles | undefined {
    const { settings, replay } = this.#parent;
    if (replay !== undefined) return undefined;
    const { childPolicy, secrets } = settings.ports;
    const refuse = childPolicy && ((name: string) => childPolicy.refusePlace(name, name));
    return pipelineFiles(file, { secrets, refuse });
  }

  #compile(text: string, name: string, files?: PipelineFiles): Compilation {
    const { ports } = this.#parent.settings;
    const own = { ...ports, properties: propertiesBelow(ports) };
    const compilation = this.#engine.compile(text, own, name, files);
    this.#program = compilation.program;
    return compilation;
  }

  get #asking(): AskingChild {
    return { nodeId: this.#stage.node.id, runId: () => this.#view.runId };
  }

  /** Inherited settings, with the child's own observers and signals. */
  #settings(): RunSettings {
    const inherited = inheritSettings(this.#parent.settings);
    const { interviewer, onChildEvent } = inherited.ports;
    const nodeId = this.#stage.node.id;
    return withPorts(inherited, {
      interviewer: interviewer && childInterviewer(interviewer, this.#asking),
      signal: this.#signals.cancelSignal,
      pauseSignal: this.#signals.pauseSignal,
      onEvent: (event) => this.#onEvent(event),
      onChildEvent:
        onChildEvent &&
        ((event, origin) => onChildEvent(event, { ...origin, path: [nodeId, ...origin.path] })),
    });
  }

  #onEvent(event: RunEvent): void {
    apply(this.#view, event);
    this.#usage.add(event);
    if (this.#program === undefined) return;
    const origin = { path: [this.#stage.node.id], directory: this.#directory, program: this.#program };
    this.#parent.settings.ports.onChildEvent?.(event, origin);
  }

  #endOf(result: RunResult | InvalidPipeline, compilation: Compilation): ChildEnd {
    if (result.status !== 'invalid' && result.simulated_stages.length > 0) this.#stage.markSimulated();
    return childEnd(result, compilation, this.#stage.node.id, this.#fileSystem);
  }
}
