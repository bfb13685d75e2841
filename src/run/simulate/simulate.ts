import { onAbort } from '../../abort/abort.js';
import { type Compilation, type CompileOptions, compile } from '../../compiler/compile.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { declaredInputs, withDefaultInputs } from '../../graph/values/declared-inputs.js';
import { codergenHandler } from '../../handlers/codergen.js';
import { conditionalHandler } from '../../handlers/conditional.js';
import { exitHandler } from '../../handlers/exit.js';
import { fanInHandler } from '../../handlers/fan-in.js';
import type { Handler } from '../../handlers/handler.js';
import { parallelHandler } from '../../handlers/parallel.js';
import { startHandler } from '../../handlers/start.js';
import { waitHumanHandler } from '../../handlers/wait-human.js';
import type { RunEvent } from '../../machine/event.js';
import type { InputBody } from '../../machine/input.js';
import { initialState } from '../../machine/state.js';
import type { RecordedSettings } from '../../run-directory/recorded-fields.js';
import { emptyScript } from '../../run-directory/simulation-script.js';
import { type RunResult, resultOf } from '../../view/run-result.js';
import { Driver } from '../driver/driver.js';
import type { DriverPorts } from '../driver/driver-ports.js';
import { externalizeInputs } from '../driver/externalize.js';
import { simulatedInterviewer } from '../questions/auto-approve.js';
import { answerScript, scriptedInterviewer } from '../questions/scripted-interviewer.js';
import { readInputs } from '../read-inputs.js';
import { newRunId } from '../run-id.js';
import type { InvalidPipeline } from '../run-options.js';
import { checkAnswers, checkScript, checkSeed } from './check-script.js';
import { type MadeUpKeys, withMadeUpWords } from './made-up-words.js';
import { memoryArtifacts } from './memory-artifacts.js';
import { memoryStore } from './memory-store.js';
import { scriptedHandler, simulatedHandler } from './simulated-handlers.js';
import { virtualClock } from './virtual-clock.js';

/** Options of a simulation; the same ones give the same run. */
export interface SimulationOptions
  extends CompileOptions,
    Pick<RecordedSettings, 'script' | 'inputs' | 'seed' | 'maxSteps' | 'strictValues' | 'customOutcomes'> {
  /** Start time in milliseconds since 1970; by default now. */
  readonly start?: number;
  /** Called with every event in order (§9.6). */
  readonly onEvent?: (event: RunEvent) => void;
  /** Aborting it cancels the simulation. */
  readonly signal?: AbortSignal;
}

/** Result of a run that is not stored. */
export type SimulationResult = Omit<RunResult, 'run_dir'>;

/**
 * Simulates a pipeline in memory, in virtual time: by the same driver and state machine as a run, without
 * files, processes, models and people (DESIGN §2, §5), so that it works in a browser too. A pipeline that a
 * stage runs is a file, so such a stage only succeeds, or follows the script.
 * @returns the result, whatever its end, or the reason why the pipeline cannot run
 * @throws RunError `usage` if the script, the inputs or the seed do not fit
 */
export async function simulate(
  pipeline: string | Compilation,
  options: SimulationOptions = {},
): Promise<SimulationResult | InvalidPipeline> {
  const { program, diagnostics } = typeof pipeline === 'string' ? compile(pipeline, options) : pipeline;
  if (program === undefined) return { status: 'invalid', diagnostics };
  const { script = emptyScript, seed } = options;
  checkScript(program, script);
  checkAnswers(program, script.answers);
  checkSeed(seed, true);
  const inputs = withDefaultInputs({ ...script.inputs, ...options.inputs }, declaredInputs(program.graph));
  const run = { ...options, madeUp: new Map() };
  return simulateWith(
    program,
    { ...options, inputs },
    {
      interviewer: scriptedInterviewer(
        answerScript(script.answers, () => 0),
        simulatedInterviewer,
      ),
      handlerOf: (node, execution) => simulationHandler(program, node, execution, run),
    },
  );
}

/** Simulates a program, with other handlers and interviewers. @internal */
export async function simulateWith(
  program: Program,
  options: Omit<SimulationOptions, 'script'>,
  parts: Pick<DriverPorts, 'interviewer' | 'handlerOf'> & Partial<Pick<DriverPorts, 'store'>>,
): Promise<SimulationResult> {
  const { seed, signal } = options;
  const { values, truncatedInputs } = readInputs(options.inputs ?? {});
  const clock = virtualClock({ seed, start: options.start });
  const artifacts = memoryArtifacts(() => clock.now());
  const driver = new Driver(program, initialState, {
    settings: options,
    store: memoryStore(),
    clock,
    ...parts,
    onEvent: options.onEvent,
    artifacts,
    history: undefined,
    sharesFlushes: false,
    workingDirectory: '',
    graphHash: '',
  });
  const first: InputBody = {
    kind: 'start',
    runId: newRunId(program.graph.name, clock),
    graphHash: '',
    inputs: externalizeInputs(values, 'inputs.0', artifacts),
    maxSteps: options.maxSteps,
  };
  const remarks = truncatedInputs.map((message): InputBody => ({ kind: 'log', level: 'warning', message }));
  const isCancelled = signal?.aborted === true;
  if (isCancelled) remarks.push({ kind: 'cancel' });
  const release = onAbort(isCancelled ? undefined : signal, () => driver.dispatch({ kind: 'cancel' }));
  const state = await driver.run(first, remarks).finally(release);
  const { run_dir: _, ...result } = resultOf(state, '', clock.now());
  return result;
}

/**
 * Handlers that run in a simulation as in a run; all others would touch the world, and are only simulated.
 * @internal
 */
export const performers: ReadonlyMap<string, Handler> = new Map(
  Object.entries({
    start: startHandler,
    exit: exitHandler,
    codergen: codergenHandler(),
    'wait.human': waitHumanHandler,
    conditional: conditionalHandler,
    parallel: parallelHandler,
    'parallel.fan_in': fanInHandler(undefined),
  }).map(([type, handler]): [string, Handler] => [type, { ...handler, isSimulated: true }]),
);

/** Handler of an attempt in a simulation. @internal */
export function simulationHandler(
  program: Program,
  node: ProgramNode,
  execution: number,
  run: Pick<SimulationOptions, 'script' | 'customOutcomes'> & { readonly madeUp: MadeUpKeys },
): Handler {
  const { id, handler } = node;
  const { script, customOutcomes = false, madeUp } = run;
  const entries = script?.nodes.get(id);
  if (entries !== undefined) return scriptedHandler(entries, execution);
  const usual = performers.get(handler.type) ?? simulatedHandler;
  return withMadeUpWords(usual, node, program, customOutcomes, madeUp);
}
