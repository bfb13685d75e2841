import type { Program, ProgramNode } from '../../graph/program.js';
import type { Handler } from '../../handlers/handler.js';
import { decide } from '../../machine/decide.js';
import type { Effect, ExecuteEffect, WaitEffect } from '../../machine/effect.js';
import type { RunEvent } from '../../machine/event.js';
import type { InputBody } from '../../machine/input.js';
import { seededRandom } from '../../run/simulate/seeded-random.js';
import { performers } from '../../run/simulate/simulate.js';
import { beginBranches, performAttempt } from './perform-attempt.js';
import type { AttemptEnd, Pending, Simulation } from './simulation.js';

/**
 * Feeds inputs to the machine, and performs everything that needs no decision, until only the user's
 * decisions remain.
 */
export async function advanceSimulation(
  simulation: Simulation,
  inputs: readonly InputBody[],
  afterwards: readonly Effect[] = [],
): Promise<Simulation> {
  const effects: Effect[] = [];
  let current = feedAll(simulation, inputs, effects);
  effects.push(...afterwards);
  for (const effect of effects) {
    if (effects.length > mostAtOnce)
      throw new Error(`the pipeline may loop forever: ${mostAtOnce} stages in a row left nothing to decide`);
    current = await perform(current, effect, effects);
  }
  return current;
}

const mostAtOnce = 2500;

/** Feeds inputs one after the other, with a driver's checkpoints in between. */
function feedAll(simulation: Simulation, inputs: readonly InputBody[], effects: Effect[]): Simulation {
  const saved: InputBody[] = [];
  let current = simulation;
  for (const input of inputs) {
    const { events, ...fed } = feed(current, input);
    current = fed.simulation;
    effects.push(...fed.effects);
    const save = checkpointOf(current, events);
    current = { ...current, saves: save.saves };
    if (save.nodeId !== undefined) saved.push({ kind: 'checkpoint_saved', nodeId: save.nodeId });
  }
  return saved.length === 0 ? current : feedAll(current, saved, effects);
}

function feed(
  simulation: Simulation,
  body: InputBody,
): {
  readonly simulation: Simulation;
  readonly events: readonly RunEvent[];
  readonly effects: readonly Effect[];
} {
  const { program, now, inputs } = simulation;
  const random = randomAt(inputs);
  const { events, effects, state } = decide(program, simulation.state, { ...body, now, random });
  const stopped = new Set(effects.flatMap((effect) => (effect.kind === 'abort' ? [effect.cursor] : [])));
  const next = { ...simulation, state, inputs: inputs + 1, events: [...simulation.events, ...events] };
  const pending = next.pending.filter((one) => isWanted(next, one) && !stopped.has(cursorOf(one) ?? 'none'));
  return { simulation: { ...next, pending }, events, effects };
}

/** The numbers that the simulation of a script draws when it is given no seed, one for each input. */
const draw = seededRandom(1);
const drawn: number[] = [];

function randomAt(index: number): number {
  while (drawn.length <= index) drawn.push(draw());
  return drawn[index] ?? 0;
}

/**
 * Number of nodes of a run in memory that a checkpoint follows (`CheckpointSchedule`), the first event
 * counted.
 */
const checkpoints = 20;

function checkpointOf(
  { state, saves }: Simulation,
  events: readonly RunEvent[],
): { readonly saves: number; readonly nodeId?: string } {
  if (events[0]?.type === 'PipelineStarted') return { saves: saves + 1 };
  const settled = events.findLast((event) => 'outcome' in event);
  if (settled === undefined || state.status !== 'running' || saves >= checkpoints) return { saves };
  return 'node_id' in settled && settled.node_id !== undefined
    ? { saves: saves + 1, nodeId: settled.node_id }
    : { saves: saves + 1 };
}

async function perform(simulation: Simulation, effect: Effect, queue: Effect[]): Promise<Simulation> {
  switch (effect.kind) {
    case 'execute':
      return isCurrent(simulation, effect) ? execute(simulation, effect, queue) : simulation;
    case 'wait':
      return isCurrent(simulation, effect) ? wait(simulation, effect, queue) : simulation;
    case 'wait_for_run':
      return waitingFor(simulation, { kind: 'run_timer', until: effect.until });
    case 'ask':
    case 'deliver':
    case 'say':
    case 'request_pause':
    case 'abort':
      // Questions are kept by the attempts that raised them; an answer continues the stage that asked.
      return simulation;
  }
}

function wait(simulation: Simulation, effect: WaitEffect, queue: Effect[]): Simulation {
  if (effect.until > simulation.now) return waitingFor(simulation, { kind: 'timer', effect });
  const { cursor, index, attempt } = effect;
  return feedAll(simulation, [{ kind: 'timer_fired', cursor, index, attempt }], queue);
}

function execute(
  simulation: Simulation,
  effect: ExecuteEffect,
  queue: Effect[],
): Simulation | Promise<Simulation> {
  const node = nodeNamed(simulation.program, effect.nodeId);
  const handler = ownHandlerOf(node);
  if (handler === undefined) return waitingFor(simulation, { kind: 'stage', effect });
  if (handler.fansOut) return feedAll(simulation, [beginBranches(simulation, effect, node, handler)], queue);
  return performAttempt(simulation, effect, node, handler).then((end) =>
    withEnd(simulation, effect, end, queue),
  );
}

/** Feeds what came of an attempt; what follows from it goes to the end of the queue. */
export function withEnd(
  simulation: Simulation,
  effect: ExecuteEffect,
  end: AttemptEnd,
  queue: Effect[],
): Simulation {
  const { cursor, index, attempt } = effect;
  const logs = end.logs.map((line): InputBody => ({ kind: 'log', ...line }));
  switch (end.kind) {
    case 'settled': {
      const settled: InputBody = { kind: 'stage_settled', cursor, index, attempt, outcome: end.outcome };
      return feedAll(simulation, [...logs, settled], queue);
    }
    case 'suspended':
      return feedAll(
        simulation,
        [...logs, { kind: 'stage_suspended', cursor, index, attempt, reason: end.reason }],
        queue,
      );
    case 'asks': {
      const raised: InputBody = { kind: 'question_raised', cursor, index, attempt, question: end.question };
      const asked = feedAll(simulation, [...logs, raised], queue);
      return waitingFor(asked, { kind: 'question', question: end.question, effect });
    }
  }
}

/** Handler that runs as in a run; the user decides about all other stages. */
export function ownHandlerOf({ handler: { type, llm } }: ProgramNode): Handler | undefined {
  return llm ? undefined : performers.get(type);
}

export function nodeNamed(program: Program, id: string): ProgramNode {
  const node = program.nodes.get(id);
  if (node === undefined) throw new Error(`the program has no node "${id}"`);
  return node;
}

function waitingFor(simulation: Simulation, one: Pending): Simulation {
  return isWanted(simulation, one) ? { ...simulation, pending: [...simulation.pending, one] } : simulation;
}

function isWanted(simulation: Simulation, one: Pending): boolean {
  if (simulation.state.status !== 'running') return false;
  return one.kind === 'run_timer' || isCurrent(simulation, one.effect);
}

/** True if control is still where it was when the effect was requested. */
function isCurrent(
  { state }: Simulation,
  { cursor: id, index, attempt }: Pick<ExecuteEffect, 'cursor' | 'index' | 'attempt'>,
): boolean {
  const cursor = state.cursors.get(id);
  return state.status === 'running' && cursor?.index === index && cursor.attempt === attempt;
}

function cursorOf(one: Pending): string | undefined {
  return one.kind === 'run_timer' ? undefined : one.effect.cursor;
}
