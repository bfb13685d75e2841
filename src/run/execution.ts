import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { abortWith } from '../abort/abort.js';
import type { Compilation } from '../compiler/compile.js';
import { EventFeed, type EventsOptions } from '../journal/event-feed.js';
import type { RunEvent } from '../machine/event.js';
import { refuseCopy } from '../run-directory/copied-run.js';
import { readManifest } from '../run-directory/manifest.js';
import { readPipeline } from '../run-directory/read-pipeline.js';
import { RunError } from '../run-directory/run-error.js';
import { runFiles } from '../run-directory/run-files.js';
import { redactedSource } from '../secrets/redact-source.js';
import type { RunResult } from '../view/run-result.js';
import type { RunCall } from './children/run-engine.js';
import type { PauseRequest } from './pause-request.js';
import { type AnswerReceipt, RunQuestions, type WaitingQuestion } from './questions/run-questions.js';
import { resumeRun, startRun } from './run.js';
import type { InvalidPipeline, ResumeOptions, RunOptions, RunPorts } from './run-options.js';
import { clockOf, compileWith, type NewRunLocation, newRunLocation } from './run-parts.js';
import { parseRunSettings, type RunSettings, withPorts } from './run-settings.js';

/** Run while this process executes it: to be watched and steered. */
export interface Execution {
  readonly runId: string;
  /** The run directory. */
  readonly directory: string;
  /**
   * Result that `run` or `resume` would have returned. An error rejects it, and ends the events; if neither
   * is used, it does not end the process.
   */
  readonly result: Promise<RunResult | InvalidPipeline>;
  /**
   * Events of the run (§9.6), each exactly once and in order: those of this execution, or from a given
   * `seq` on. They end when the run is over for this process. There may be many of these at once; none of
   * them slows the run down, and leaving the loop releases it. An error that breaks the run off is thrown
   * here too, after its last event.
   */
  events(options?: EventsOptions): AsyncIterableIterator<RunEvent>;
  /** Pauses the run, so that it can be resumed: when the running stages have ended, or `now`. */
  pause(request?: Partial<PauseRequest>): void;
  cancel(): void;
  /** Questions of the run, and of those that its stages have started, that wait for an answer (§6). */
  readonly questions: readonly WaitingQuestion[];
  /**
   * Answers an open question, regardless of other people who are asked: the first answer counts. It is an
   * input of the run like any other, so it may come before a resumed run has repeated the question.
   * @param question its id, or the stage that asks; `<node>/<stage>` of a run that a node has started
   * @param answer as a person types it: the key or the label of an option, or free text
   * @returns a receipt, once the journal has the answer
   * @throws RunError `storage` if it cannot be written
   */
  answer(question: string, answer: string): Promise<AnswerReceipt>;
  /**
   * Says something to the model of a running stage, which gets it before its next request.
   * @param stage `<node>/<stage>` for one of a run that a node has started
   * @throws RunError `usage` with the reason if the stage takes no words
   */
  steer(stage: string, text: string, options?: SteeringOptions): Promise<void>;
}

export interface SteeringOptions {
  /** Branch of the stage, where several execute it. */
  readonly branch?: string | undefined;
  /** Name of the person. */
  readonly by?: string | undefined;
  /** Id of the words in the journal; a new one by default. */
  readonly id?: string | undefined;
}

/**
 * Starts what `run` runs, and returns a handle of it at once (§9.6). Nothing is executed before the caller
 * has it.
 * @param pipeline the text itself, or the result of `compile`
 * @throws RunError `usage` for inputs that are not an object; the result has other errors
 */
export function start(pipeline: string | Compilation, options: RunOptions = {}): Execution {
  const settings = parseRunSettings(options);
  const { compilation, notice } = compiledWith(pipeline, settings);
  const clock = clockOf(settings);
  const place = newRunLocation(compilation.graph.name, settings.recorded, clock);
  return execute(place, settings.ports, (ports, call) =>
    startRun(compilation, withPorts(settings, { ...ports, clock }), { ...call, place, notice }),
  );
}

function compiledWith(
  pipeline: string | Compilation,
  { recorded, ports }: RunSettings,
): { readonly compilation: Compilation; readonly notice?: string } {
  if (typeof pipeline !== 'string') return { compilation: pipeline };
  const { text, notice } = redactedSource(pipeline, ports.secrets);
  return { compilation: compileWith(text, ports, recorded.sourcePath), notice };
}

/**
 * Starts what `resume` resumes, and returns a handle of it at once (§5.3, §9.6).
 * @param directory the run directory
 * @throws RunError if there is no such run, it cannot be identified, or the inputs are not an object; the
 * result has other errors
 */
export function startResuming(directory: string, options: ResumeOptions = {}): Execution {
  refuseCopy(directory, readManifest(directory, options.fileSystem));
  return startContinuing(directory, options, {});
}

/**
 * The same, for callers inside of the library.
 * @internal
 */
export function startContinuing(
  directory: string,
  options: ResumeOptions,
  { compilation: compiled, ...given }: ContinuingCall,
): ContinuedExecution {
  const settings = parseRunSettings(options);
  const { ports } = settings;
  const { run_id: runId } = readManifest(directory, ports.fileSystem);
  return execute({ runId, directory }, ports, (own, call) => {
    const compilation = compiled ?? compileWith(readPipeline(directory, ports.fileSystem), ports);
    return resumeRun(directory, compilation, withPorts(settings, own), { ...given, ...call });
  });
}

/** @internal */
export interface ContinuedExecution extends Execution {
  /** True if nothing is under way but questions, of stages that do nothing else. */
  readonly onlyAsks: boolean;
}

interface ContinuingCall extends Pick<RunCall, 'durableLog' | 'cache' | 'elsewhere' | 'isWaking'> {
  /** The pipeline of the run, if it has been compiled. */
  readonly compilation?: Compilation;
}

type OwnPorts = Required<Pick<RunPorts, 'onEvent' | 'signal' | 'pauseSignal'>>;

function execute(
  { runId, directory: place }: NewRunLocation,
  given: RunPorts,
  execution: (ports: OwnPorts, call: RunCall) => Promise<RunResult | InvalidPipeline>,
): ContinuedExecution {
  const directory = path.resolve(place);
  const feed = new EventFeed(path.join(directory, runFiles.journal));
  const cancelling = new AbortController();
  const pausing = new AbortController();
  const stopping = new AbortController();
  const ports: OwnPorts = {
    onEvent(event) {
      feed.push(event);
      return given.onEvent?.(event);
    },
    signal: cancelling.signal,
    pauseSignal: pausing.signal,
  };
  const questions = new RunQuestions();
  const releases = [abortWith(cancelling, given.signal), abortWith(pausing, given.pauseSignal)];
  const result = Promise.resolve()
    .then(() => execution(ports, { stopSignal: stopping.signal, questions }))
    .finally(() => {
      for (const release of releases) release();
    });
  const isOver = result.then(
    ({ status }) => feed.end({ kind: status === 'invalid' ? 'no_run' : 'over' }),
    (error: unknown) => feed.end({ kind: 'broken', error }),
  );
  return {
    runId,
    directory,
    result,
    events: (wanted) => feed.events(wanted),
    pause({ mode = 'after_stage', reason = 'interrupted' } = {}) {
      (mode === 'now' ? stopping : pausing).abort({ mode, reason });
    },
    cancel: () => cancelling.abort(),
    get questions() {
      return questions.waiting;
    },
    get onlyAsks() {
      return questions.onlyAsks;
    },
    async answer(question, answer) {
      await Promise.race([questions.connected, isOver]);
      return questions.answer(question, answer);
    },
    async steer(stage, text, { branch, by, id = randomUUID() } = {}) {
      await Promise.race([questions.connected, isOver]);
      const refusal = questions.steer({ stage, branch }, { id, text, by });
      if (refusal !== undefined) throw new RunError('usage', refusal);
    },
  };
}
