import { readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished, test } from 'vitest';
import { type CompileOptions, compile } from '../../src/compiler/compile.js';
import type { Program } from '../../src/graph/program.js';
import type { Handler } from '../../src/handlers/handler.js';
import { builtInRules } from '../../src/lint/rules/index.js';
import { type Decision, decide, decideDraft } from '../../src/machine/decide.js';
import { freeze, thaw } from '../../src/machine/draft.js';
import type { Effect, ExecuteEffect } from '../../src/machine/effect.js';
import type { RunEvent } from '../../src/machine/event.js';
import type { Input, InputBody } from '../../src/machine/input.js';
import type { Outcome } from '../../src/machine/outcome.js';
import { knownItems } from '../../src/machine/parallel.js';
import { cursorNamed, initialState, type RunState } from '../../src/machine/state.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { type Execution, start } from '../../src/run/execution.js';
import { missingBackendNotice } from '../../src/run/provided-handlers.js';
import { type ResumeOptions, type RunOptions, resume, run } from '../../src/run/run.js';
import { type FileSystem, nodeFileSystem } from '../../src/run-directory/file-system.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import type { RunResult } from '../../src/view/run-result.js';
import { memoryFileSystem } from '../support/memory-file-system.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { virtualClock } from '../support/virtual-clock.js';

/** A pipeline around statements: `start` and `exit` are there, and every other node has a prompt. */
export function pipeline(...statements: readonly string[]): string {
  return [
    'digraph G {',
    'start [shape=Mdiamond]',
    'exit [shape=Msquare]',
    'node [prompt="Do it"]',
    ...statements,
    '}',
  ].join('\n');
}

/** From `a` to `b` or `c`, by edges with these attributes, and from there to the exit. */
export function fork(toB: string, toC: string): string {
  return pipeline(
    'a',
    'b',
    'c',
    'start -> a',
    `a -> b [${toB}]`,
    `a -> c [${toC}]`,
    'b -> exit',
    'c -> exit',
  );
}

/** A test for each row of a table, called by its name. */
export function testEach<Row extends { readonly name: string }>(
  rows: readonly Row[],
  check: (row: Row) => void | Promise<void>,
): void {
  test.each(rows.map((row) => [row.name, row] as const))('%s', (_name, row) => check(row));
}

/** A pipeline of the specification, by the name of its file. */
export function specExample(name: string): string {
  return readFileSync(path.join(import.meta.dirname, '../../examples/spec', name), 'utf8');
}

/** Handlers by the type that they are for, most of them as plain functions. */
export type HandlerTable = Readonly<Record<string, Handler | Handler['execute']>>;

export interface Setup extends Omit<RunOptions, 'script' | 'answers' | 'handlers' | 'onEvent'> {
  /** As in a script file: outcomes by node id. */
  readonly script?: object;
  readonly answers?: Readonly<Record<string, string | readonly string[]>>;
  readonly handlers?: HandlerTable;
  readonly onEvent?: (event: RunEvent) => void;
  /** Gets the handle of the run before anything is executed. */
  readonly onStart?: (execution: Execution) => void;
}

export interface PipelineRun {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  readonly directory: string;
}

/**
 * Runs a pipeline on a virtual clock, and expects it to be valid. Its directory is in memory, where `resumePipeline`, `fileOf` and
 * `jsonOf` find it, unless the test names one, or a file system.
 */
export async function runPipeline(dot: string, setup: Setup = {}): Promise<PipelineRun> {
  const directory = setup.runDirectory ?? newRunDirectory(setup);
  const events: RunEvent[] = [];
  const options = { ...optionsOf(directory, setup, events), runDirectory: directory };
  const result = await executed(dot, options, setup.onStart);
  return { result: valid(result), events, directory };
}

/** A project of `vitest.proof.config.ts` has all runs executed in the durable steps of a cluster. */
const isInCluster = process.env.ATTRACTOR_RUN_IN_CLUSTER !== undefined;

async function executed(
  dot: string,
  options: RunOptions & { runDirectory: string },
  onStart: Setup['onStart'],
) {
  if (isInCluster) {
    const { runInCluster } = await import('./cluster/run-in-cluster.js');
    return runInCluster(dot, options, options.runDirectory, onStart);
  }
  if (onStart === undefined) return run(dot, options);
  const execution = start(dot, options);
  onStart(execution);
  return execution.result;
}

/** The same, for what really must be there: commands run in directories, agents and views use files by themselves. */
export function runOnDisk(dot: string, setup: Setup = {}): Promise<PipelineRun> {
  return runPipeline(dot, { runDirectory: path.join(temporaryDirectory(), 'run'), ...setup });
}

/** Continues with the run in a directory; the events are those of this part only. */
export async function resumePipeline(
  directory: string,
  setup: Setup = {},
  only: Pick<ResumeOptions, 'from' | 'script' | 'onNotice'> = {},
): Promise<PipelineRun> {
  const events: RunEvent[] = [];
  const { script: _script, ...options } = optionsOf(directory, setup, events);
  const result = await resume(directory, { ...options, ...only } satisfies ResumeOptions);
  return { result: valid(result), events, directory };
}

/** Each with a file system of its own, by the directory above the run's. */
const inMemory = new Map<string, FileSystem>();
let memoryRuns = 0;

function newRunDirectory({ fileSystem }: Setup): string {
  if (fileSystem !== undefined) return path.join(temporaryDirectory(), 'run');
  memoryRuns += 1;
  // Nothing can come to be there on the disk.
  const home = `/dev/null/${memoryRuns}`;
  inMemory.set(home, memoryFileSystem());
  onTestFinished(() => void inMemory.delete(home));
  return path.join(home, 'run');
}

/** Where the files of a run are. */
export function fileSystemOf(directory: string): FileSystem {
  const home = directory.split(path.sep).slice(0, 4).join(path.sep);
  return inMemory.get(home) ?? nodeFileSystem;
}

function optionsOf(directory: string, setup: Setup, events: RunEvent[]): RunOptions {
  const { script, answers, handlers, onEvent, onStart: _onStart, ...rest } = setup;
  return {
    clock: virtualClock(),
    fileSystem: fileSystemOf(directory),
    ...rest,
    handlers: registryOf(handlers ?? {}),
    ...(script && { script: readScript({ nodes: script }, 'the test') }),
    ...(answers && { answers: answersOf(answers) }),
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  };
}

export function registryOf(handlers: HandlerTable): HandlerRegistry {
  const registry = new HandlerRegistry();
  for (const [type, handler] of Object.entries(handlers))
    registry.register(type, typeof handler === 'function' ? { execute: handler } : handler);
  return registry;
}

function isSaidOfEveryTest(event: RunEvent): boolean {
  return event.type === 'LogAppended' && event.message === missingBackendNotice;
}

function answersOf(answers: NonNullable<Setup['answers']>): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(answers).map(([id, typed]) => [id, [typed].flat()]));
}

function valid(result: Awaited<ReturnType<typeof run>>): RunResult {
  if (result.status !== 'invalid') return result;
  throw new Error(result.diagnostics.map(({ rule, message }) => `${rule}: ${message}`).join('\n'));
}

/** The events of one type, but for what is said of every run without a backend, as most tests have it. */
export function eventsOf<Type extends RunEvent['type']>(
  events: readonly RunEvent[],
  type: Type,
): readonly Extract<RunEvent, { type: Type }>[] {
  return events.filter(
    (event): event is Extract<RunEvent, { type: Type }> => event.type === type && !isSaidOfEveryTest(event),
  );
}

/** A file of a run directory as text; its parts are joined. */
export function fileOf(directory: string, ...parts: readonly string[]): string {
  return fileSystemOf(directory)
    .readFile(path.join(directory, ...parts))
    .toString('utf8');
}

/** Prompt of a stage without what it is told of the run before. */
export function ownPromptOf(directory: string, stage: string): string {
  return withoutPreamble(fileOf(directory, stage, 'prompt.md'));
}

export function withoutPreamble(prompt: string): string {
  return prompt.replace(/^You work on one stage of a longer run[\s\S]*?\n\n---\n\n/, '');
}

/** The prompt of a stage, with the values that were too long for it. */
export function wholePromptOf(directory: string, stage: string): string {
  return ownPromptOf(directory, stage).replaceAll(
    /\[\$\{[^}]+\} is too long for this prompt: [^"]+"([^"]+)"[^\]]+\]/g,
    (_text, file: string) => fileOf(path.dirname(file), path.basename(file)),
  );
}

/** A file of a run directory as JSON. */
export function jsonOf(directory: string, ...parts: readonly string[]) {
  return JSON.parse(fileOf(directory, ...parts));
}

/**
 * For pipelines in which lint proves that a branch fails where it goes, or that have goal gates in the branches of a list: they
 * must come to a sound end all the same.
 */
export const failingBranches: NonNullable<CompileOptions['ruleSettings']> = new Map([
  ['foreach_valid', 'off'],
  ['branch_leads_back', 'off'],
  ['restart_in_branch', 'off'],
]);

/** A machine that needs a program asks for no advice; without it, a random pipeline is compiled in half the time. */
const withoutAdvice = builtInRules
  // This one has errors among its warnings.
  .filter(({ name, severity }) => severity !== 'error' && name !== 'attribute_without_effect')
  .map(({ name }) => [name, 'off'] as const);

export function programOf(
  dot: string,
  handlerTypes: readonly string[] = [],
  ruleSettings: CompileOptions['ruleSettings'] = new Map(),
): Program {
  const { program, diagnostics } = compile(dot, {
    handlerTypes,
    ruleSettings: new Map([...withoutAdvice, ...ruleSettings]),
  });
  if (program !== undefined) return program;
  throw new Error(diagnostics.map(({ rule, message }) => `${rule}: ${message}`).join('\n'));
}

/** What becomes of a stage: by its id and by how many of its attempts began before, or by all that the machine asks for. */
export type Outcomes = (
  nodeId: string,
  execution: number,
  effect: ExecuteEffect,
  state: RunState,
) => Outcome | undefined;

export interface Drive {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  readonly inputs: readonly Input[];
}

export interface DriveSetup {
  /** Is told each decision, with the state before it, and what is under way after it. */
  readonly observe?: (before: RunState, decision: Decision, pending: readonly Effect[]) => void;
  /** Where a run continues that was cut off. */
  readonly from?: RunState;
  /** Which of the effects that are under way has its result next: an index below `count`; the first by default. */
  readonly pick?: (count: number) => number;
  /** What somebody asks for before the input with this number. */
  readonly ask?: (input: number) => InputBody | undefined;
}

/** Runs a program without a driver: effects are performed by the table of outcomes, one after the other. */
export function drive(program: Program, outcomes: Outcomes, setup: DriveSetup = {}): Drive {
  const { observe, from = initialState, pick = () => 0, ask = () => undefined } = setup;
  const machine = observe === undefined ? inPlace(program, from) : pure(program, from, observe);
  let now = Math.max(0, from.lastEventAt);
  const events: RunEvent[] = [];
  const inputs: Input[] = [];
  const pending: Effect[] = [];
  const feed = (body: InputBody): void => {
    now += 1;
    const input: Input = { ...body, now, random: 0.5 };
    inputs.push(input);
    for (const event of machine.step(input, pending)) events.push(event);
  };
  const isNew = from.status === 'created';
  feed(isNew ? { kind: 'start', runId: 'run', graphHash: 'hash', inputs: {} } : { kind: 'resume' });
  while (pending.length > 0) {
    const asked = ask(inputs.length);
    if (asked !== undefined) feed(asked);
    const [effect] = pending.splice(pick(pending.length), 1);
    if (effect === undefined) continue;
    if (effect.kind === 'wait') now = Math.max(now, effect.until);
    feed(resultOf(program, machine.state(), effect, outcomes));
  }
  return { state: machine.end(), events, inputs };
}

/** One of the two ways to run the machine. */
interface Machine {
  /** @param pending what is under way; changed by what is decided */
  step(input: Input, pending: Effect[]): readonly RunEvent[];
  state(): RunState;
  end(): RunState;
}

function pure(program: Program, from: RunState, observe: NonNullable<DriveSetup['observe']>): Machine {
  let state = from;
  return {
    step(input, pending) {
      const before = state;
      const decision = decide(program, before, input);
      state = decision.state;
      for (const effect of decision.effects) note(pending, effect);
      observe(before, decision, pending);
      return decision.events;
    },
    state: () => state,
    end: () => state,
  };
}

function inPlace(program: Program, from: RunState): Machine {
  const draft = thaw(from);
  return {
    step(input, pending) {
      const { events, effects } = decideDraft(program, draft, input);
      for (const effect of effects) note(pending, effect);
      return events;
    },
    state: () => draft,
    end: () => freeze(draft),
  };
}

/** What was aborted has no result; watching over the whole run has none either. */
function note(pending: Effect[], effect: Effect): void {
  if (effect.kind === 'wait_for_run' || effect.kind === 'request_pause') return;
  if (effect.kind !== 'abort') return void pending.push(effect);
  const kept = pending.filter((other) => !('cursor' in other && other.cursor === effect.cursor));
  pending.splice(0, pending.length, ...kept);
}

/** A list that `drive` gives to a run, by how many items it has. */
export const listOf = (items: number): string => `list${items}`;

function fanOutOf(program: Program, state: RunState, effect: ExecuteEffect): InputBody {
  const { cursor, index, attempt, nodeId } = effect;
  const body = { kind: 'fan_out', cursor, index, attempt } as const;
  const path = program.nodes.get(nodeId)?.parallel?.foreach?.path;
  if (path === undefined || knownItems(cursorNamed(state, cursor)) !== undefined) return body;
  const count = Number(/\d+$/.exec(path)?.[0]);
  return { ...body, items: [Array.from({ length: count }, (_, item) => `item ${item}`)] };
}

function resultOf(program: Program, state: RunState, effect: Effect, outcomes: Outcomes): InputBody {
  switch (effect.kind) {
    case 'execute': {
      const { cursor, index, attempt, nodeId, execution } = effect;
      if (program.nodes.get(nodeId)?.handler.forks) return fanOutOf(program, state, effect);
      const outcome = outcomes(nodeId, execution, effect, state) ?? { status: 'success' };
      return { kind: 'stage_settled', cursor, index, attempt, outcome };
    }
    case 'wait': {
      const { cursor, index, attempt } = effect;
      return { kind: 'timer_fired', cursor, index, attempt };
    }
    case 'ask':
    case 'deliver':
    case 'say':
    case 'abort':
    case 'wait_for_run':
    case 'request_pause':
      throw new Error(`a stage without a handler needs no "${effect.kind}"`);
  }
}
