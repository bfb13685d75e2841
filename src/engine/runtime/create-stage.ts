import type { Program, ProgramNode } from '../../graph/program.js';
import { Context } from '../handlers/context.js';
import type { Stage } from '../handlers/handler.js';
import type { ExecuteEffect } from '../machine/effect.js';
import type { Answer, Question } from '../machine/interview.js';
import { cursorNamed, type RunState } from '../machine/state.js';
import type { StageInPlace } from './attempt-runner.js';
import type { DriverPorts } from './driver-ports.js';
import { restartDirectory, stagePath } from './stage-path.js';

/** What stages need of the driver that runs them. */
export interface StageHost {
  readonly program: Program;
  readonly ports: DriverPorts;
  readonly pauseSignal: AbortSignal;
  log(level: 'info' | 'warning', message: string, nodeId: string): void;
  /** Has a person asked; rejects when the signal is aborted. */
  raise(cursor: string, question: Question, signal: AbortSignal): Promise<Answer>;
}

/**
 * What the handler of one attempt is given (§4.1). The signal is made when somebody asks for it: making one takes longer
 * than all the rest of a no-op stage.
 * @param controller stops the attempt
 */
export function createStage(
  host: StageHost,
  state: RunState,
  effect: ExecuteEffect,
  { id: nodeId, node }: ProgramNode,
  controller: AbortController,
): StageInPlace {
  const { store, clock, workingDirectory } = host.ports;
  const place = stagePath(host.program, state, effect.cursor, nodeId);
  const log: Stage['log'] = (level, message) => host.log(level, message, nodeId);
  return {
    node,
    graph: host.program.graph,
    context: new Context(cursorNamed(state, effect.cursor).context, (message) => log('info', message)),
    runId: state.runId,
    place,
    logsRoot: store.stageDirectory(restartDirectory(state)),
    stageDirectory: store.stageDirectory(place),
    workingDirectory,
    visit: effect.visit,
    attempt: effect.attempt,
    get signal() {
      return controller.signal;
    },
    pauseSignal: host.pauseSignal,
    makeStageDirectory: () => store.makeStageDirectory(place),
    writeFile: (name, text) => store.writeStageFile(place, name, text),
    openFile: (name) => store.openStageFile(place, name),
    ask: askInTurn(host, effect, controller),
    log,
    sleep: (milliseconds) => clock.sleep(milliseconds, controller.signal),
  };
}

/** A stage asks one question at a time, whatever its handler does (SEMANTICS 75). */
function askInTurn(
  host: StageHost,
  { cursor, nodeId, index, attempt }: ExecuteEffect,
  controller: AbortController,
): Stage['ask'] {
  let asked = 0;
  let previous: Promise<unknown> = Promise.resolve();
  return (question) => {
    asked += 1;
    const id = `${nodeId}.${index}.${attempt}.${asked}`;
    const raise = () => host.raise(cursor, { ...question, id, stage: nodeId }, controller.signal);
    const answer = previous.then(raise, raise);
    previous = answer;
    return answer;
  };
}
