import type { ProgramNode } from '../../graph/program.js';
import type { Handler } from '../../handlers/handler.js';
import type { ExecuteEffect } from '../../machine/effect.js';
import type { InputBody } from '../../machine/input.js';
import type { Answer, Question } from '../../machine/interview.js';
import { cursorNamed } from '../../machine/state.js';
import { AttemptStage, type StageHost } from '../../run/driver/attempt-stage.js';
import type { DriverPorts } from '../../run/driver/driver-ports.js';
import { fanOutInput } from '../../run/driver/fan-out-input.js';
import { runAttempt } from '../../run/driver/run-attempt.js';
import { StageWords } from '../../run/driver/stage-words.js';
import { absentInterviewer } from '../../run/questions/interviewer.js';
import { virtualClock } from '../../run/simulate/virtual-clock.js';
import type { AttemptEnd, LogLine, Simulation } from './simulation.js';

/**
 * Runs one attempt by a handler, as the driver of a run does (§4.1, §4.12), in virtual time that begins
 * with the attempt. A handler that asks is abandoned at its question, and called again with the answer,
 * since it keeps nothing between calls.
 */
export async function performAttempt(
  simulation: Simulation,
  effect: ExecuteEffect,
  node: ProgramNode,
  handler: Handler,
  given?: { readonly id: string; readonly answer: Answer },
): Promise<AttemptEnd> {
  const { state } = simulation;
  const { answers } = cursorNamed(state, effect.cursor);
  const logs: LogLine[] = [];
  let askFor: (question: Question) => void = () => undefined;
  const asked = new Promise<AttemptEnd>((resolve) => {
    askFor = (question) => resolve({ kind: 'asks', question, logs });
  });
  const host = hostOf(simulation, effect, handler, {
    log: (level, message, nodeId) => logs.push({ level, message, nodeId }),
    raise(_attempt, question) {
      const answer = given?.id === question.id ? given.answer : answers.get(question.id);
      if (answer !== undefined) return Promise.resolve(answer);
      askFor(question);
      return new Promise(() => undefined);
    },
  });
  const stage = new AttemptStage(host, state, effect, node, handler);
  const ended = Promise.resolve(runAttempt(node, handler, stage, effect, host.ports));
  return Promise.race([ended.then((result): AttemptEnd => ({ ...result, logs })), asked]);
}

/** Input that begins the branches of a parallel node; a list that is missing has one item, as in each simulation. */
export function beginBranches(
  simulation: Simulation,
  effect: ExecuteEffect,
  node: ProgramNode,
  handler: Handler,
): InputBody {
  const host = hostOf(simulation, effect, handler, {
    log: () => undefined,
    raise: () => new Promise(() => undefined),
  });
  return fanOutInput(host, effect, node, handler);
}

function hostOf(
  simulation: Simulation,
  { cursor }: ExecuteEffect,
  handler: Handler,
  parts: Pick<StageHost, 'log' | 'raise'>,
): StageHost {
  const { program, state } = simulation;
  return {
    program,
    ports: portsOf(simulation, cursorNamed(state, cursor).startedAt, handler),
    pauseSignal: new AbortController().signal,
    // Nobody steers a simulation.
    words: new StageWords({ program, redactor: undefined, state: () => state, dispatch: () => undefined }),
    state: () => state,
    report: () => undefined,
    spent: () => undefined,
    isBudgeted: () => false,
    flush: () => undefined,
    keepFiles: async () => undefined,
    countChild: () => () => undefined,
    log: parts.log,
    raise: parts.raise,
  };
}

/** Ports in memory, without people to ask and programs to run. */
function portsOf({ artifacts, store }: Simulation, start: number, handler: Handler): DriverPorts {
  return {
    store,
    clock: virtualClock({ start }),
    interviewer: absentInterviewer,
    handlerOf: () => handler,
    onEvent: undefined,
    artifacts,
    history: undefined,
    settings: {},
    sharesFlushes: false,
    workingDirectory: '',
    graphHash: '',
  };
}
