import type { Effect } from '../../machine/effect.js';
import type { InputBody } from '../../machine/input.js';
import type { Answer } from '../../machine/interview.js';
import type { Outcome } from '../../machine/outcome.js';
import { cursorNamed } from '../../machine/state.js';
import { matchAnswer } from '../../run/questions/match-answer.js';
import { scriptedHandler } from '../../run/simulate/simulated-handlers.js';
import type { ScriptEntry } from '../../run-directory/simulation-script.js';
import { advanceSimulation, nodeNamed, ownHandlerOf, withEnd } from './advance-simulation.js';
import { type Deadline, nextDeadline } from './next-deadline.js';
import { performAttempt } from './perform-attempt.js';
import type {
  AttemptEnd,
  Choice,
  PendingQuestion,
  PendingStage,
  Performed,
  Simulation,
} from './simulation.js';

/**
 * The next moment of a simulation: what follows from a choice.
 * @throws Error where there is nothing to choose, or an answer fits none of the options
 */
export async function choose(simulation: Simulation, choice: Choice): Promise<Simulation> {
  return afterDue(await made(simulation, choice));
}

/** Has everything happen that is due: pauses of no length, and time that was up meanwhile. */
export async function afterDue(simulation: Simulation): Promise<Simulation> {
  let current = simulation;
  for (let deadline = nextDeadline(current); deadline !== undefined; deadline = nextDeadline(current)) {
    if (deadline.at > current.now) break;
    current = await pass(current, deadline);
  }
  return current;
}

async function made(simulation: Simulation, choice: Choice): Promise<Simulation> {
  switch (choice.kind) {
    case 'outcome':
      return settleStage(later(simulation), stageOf(simulation, choice.cursor), choice.entry);
    case 'answer': {
      const pending = questionOf(simulation, choice.cursor);
      const answer = matchAnswer(pending.question, choice.typed);
      if (answer === undefined) throw new Error(`"${choice.typed}" is not one of the possible answers`);
      return answerQuestion(later(simulation), pending, answer, choice.typed);
    }
    case 'let_time_pass':
      return letTimePass(simulation);
  }
}

/** One millisecond: what is chosen first happens first, also where branches run side by side. */
function later(simulation: Simulation): Simulation {
  return { ...simulation, now: simulation.now + 1 };
}

async function settleStage(
  simulation: Simulation,
  { effect }: PendingStage,
  entry: ScriptEntry,
): Promise<Simulation> {
  const node = nodeNamed(simulation.program, effect.nodeId);
  const end = await performAttempt(simulation, effect, node, scriptedHandler([entry], 0));
  const { startedAt } = cursorNamed(simulation.state, effect.cursor);
  const { delay: _, ...chosen } = entry;
  const performed: Performed = {
    nodeId: effect.nodeId,
    cursor: effect.cursor,
    execution: effect.execution,
    startedAt,
    settledAt: simulation.now,
    entry: chosen,
    answers: undefined,
    timedOut: entry.delay !== undefined,
  };
  const effects: Effect[] = [];
  const settled = withEnd(withPerformed(simulation, performed), effect, end, effects);
  return advanceSimulation(settled, [], effects);
}

/** Feeds an answer to the machine, and continues the stage that asked with it. */
async function answerQuestion(
  simulation: Simulation,
  pending: PendingQuestion,
  given: Answer,
  typed: string | undefined,
): Promise<Simulation> {
  const { effect, question } = pending;
  const { cursor } = effect;
  const timedOut = typed === undefined;
  const input: InputBody = {
    kind: 'answered',
    cursor,
    questionId: question.id,
    answer: given,
    timedOut,
  };
  const before = { ...simulation, pending: simulation.pending.filter((one) => one !== pending) };
  const answered = await advanceSimulation(before, [input]);
  const known = cursorNamed(answered.state, cursor).answers.get(question.id);
  const answer = known ?? given;
  const node = nodeNamed(simulation.program, effect.nodeId);
  const handler = ownHandlerOf(node);
  if (handler === undefined) throw new Error(`"${node.id}" asked, but a stage of its type never asks`);
  const end = await performAttempt(answered, effect, node, handler, { id: question.id, answer });
  const effects: Effect[] = [];
  const performed = withPerformed(answered, gateVisit(answered, pending, end, typed));
  return advanceSimulation(withEnd(performed, effect, end, effects), [], effects);
}

function gateVisit(
  { state, now }: Simulation,
  { effect }: PendingQuestion,
  end: AttemptEnd,
  typed: string | undefined,
): Performed {
  return {
    nodeId: effect.nodeId,
    cursor: effect.cursor,
    execution: effect.execution,
    startedAt: cursorNamed(state, effect.cursor).startedAt,
    settledAt: now,
    entry: end.kind === 'settled' ? entryOf(end.outcome) : { outcome: 'success' },
    answers: [typed],
    timedOut: typed === undefined,
  };
}

function entryOf({ status, ...details }: Outcome): ScriptEntry {
  const { failure_category: _category, response: _response, output: _output, ...kept } = details;
  return { ...kept, outcome: status };
}

function withPerformed(simulation: Simulation, performed: Performed): Simulation {
  return { ...simulation, performed: [...simulation.performed, performed] };
}

/** Jumps to when something happens by itself, and has it happen. */
function letTimePass(simulation: Simulation): Promise<Simulation> {
  const deadline = nextDeadline(simulation);
  if (deadline === undefined) throw new Error('nothing happens by itself, however long it takes');
  return pass(simulation, deadline);
}

function pass(simulation: Simulation, { pending, at }: Deadline): Promise<Simulation> {
  const there = { ...simulation, now: Math.max(simulation.now, at) };
  switch (pending.kind) {
    case 'timer': {
      const { cursor, index, attempt } = pending.effect;
      return advanceSimulation(without(there, pending), [{ kind: 'timer_fired', cursor, index, attempt }]);
    }
    case 'run_timer':
      return advanceSimulation(without(there, pending), [{ kind: 'run_timer_fired' }]);
    case 'question':
      return answerQuestion(there, pending, { value: 'TIMEOUT' }, undefined);
    case 'stage': {
      const node = nodeNamed(simulation.program, pending.effect.nodeId);
      // The script's own delay has its attempt time out.
      const delay = (node.timeout?.milliseconds ?? 0) + 1;
      return settleStage(there, pending, { outcome: 'success', delay });
    }
  }
}

function without(simulation: Simulation, passed: Simulation['pending'][number]): Simulation {
  return { ...simulation, pending: simulation.pending.filter((one) => one !== passed) };
}

function stageOf({ pending }: Simulation, cursor: string): PendingStage {
  const found = pending.find((one) => one.kind === 'stage' && one.effect.cursor === cursor);
  if (found?.kind === 'stage') return found;
  throw new Error('no stage waits there for its outcome');
}

function questionOf({ pending }: Simulation, cursor: string): PendingQuestion {
  const found = pending.find((one) => one.kind === 'question' && one.effect.cursor === cursor);
  if (found?.kind === 'question') return found;
  throw new Error('no question waits there for its answer');
}
