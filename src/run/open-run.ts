import type { RunState } from '../machine/state.js';
import { checkChildren } from './children/check-children.js';
import type { RunEngine } from './children/run-engine.js';
import { childStarter } from './children/start-child.js';
import type { Continuation } from './continuation.js';
import { clockFrom } from './driver/clock.js';
import type { PreparedRun, ResumedRun } from './prepare-run.js';
import { missingBackendNoticeFor } from './provided-handlers.js';
import { RunQuestions } from './questions/run-questions.js';
import { scriptedInterviewer } from './questions/scripted-interviewer.js';
import {
  clockOf,
  compileWith,
  handlersOf,
  interviewerOf,
  ioBoundaryOf,
  mergeAnswers,
  replayOf,
  tee,
} from './run-parts.js';
import type { RunEnvironment } from './run-session.js';
import { withPorts } from './run-settings.js';

/**
 * Connects a run with the world. Its directory is locked by then, and nothing in it is changed yet.
 * @param state that its journal amounts to
 * @param continuation of a resumed run: the visits that continue where the run had failed
 */
export function openRun(
  run: PreparedRun,
  engine: RunEngine,
  state: RunState,
  continuation?: Continuation,
): RunEnvironment {
  const { settings, script, program, replayed, provided, call, workspace, warnings } = run;
  const { simulate = false, answers = noAnswers } = settings.recorded;
  const clock = clockFrom(clockOf(settings, state.seq), state.lastEventAt);
  const replay = replayOf(replayed, settings.ports, run);
  const ioBoundary = ioBoundaryOf(settings, replay, { ...run, clock });
  const { onEvent, pauseSignal } = settings.ports;
  const { questions = new RunQuestions() } = call;
  // Answers of this call are not counted with those that the script has given before.
  const scripted = new Map([...script.answers].filter(([nodeId]) => !answers.has(nodeId)));
  const answeredBefore = (nodeId: string): number => state.answers.get(nodeId) ?? 0;
  const person = scriptedInterviewer(scripted, interviewerOf(settings), answeredBefore);
  return {
    ports: {
      ...settings.ports,
      clock,
      interviewer: scriptedInterviewer(answers, person, () => 0),
      onEvent: replay === undefined ? onEvent : tee(replay, onEvent),
      pauseSignal: replay === undefined ? pauseSignal : replay.pauseSignalWith(pauseSignal),
    },
    handlers: handlersOf(settings.ports, ioBoundary),
    ioBoundary,
    startChild: childStarter(
      {
        settings: withPorts(settings, { clock }),
        script: mergeAnswers(script, answers),
        given: run.given,
        depth: run.depth,
        maxDepth: run.maxDepth,
        questions,
        replay,
        // Whoever continues elsewhere begins there.
        continued: settings.recorded.from === undefined ? continuation?.visits : undefined,
      },
      engine,
    ),
    stopSignal: call.stopSignal,
    // What is played back answers itself.
    questions: replay === undefined ? questions : undefined,
    budgetAbove: call.budgetAbove,
    workspace,
    startNotice: missingBackendNoticeFor({ program, script, simulate }, provided),
    startWarnings: warnings,
  };
}

const noAnswers: ReadonlyMap<string, readonly string[]> = new Map();

/** Looks at the child runs with which a resumed run will continue, before anything is changed. @throws RunError */
export function checkChildrenOf(run: ResumedRun, state: RunState, continuation: Continuation): void {
  const { settings, call } = run;
  const { fileSystem } = settings.ports;
  const isLeft = state.status === 'fail' && call.leavesFailure === true;
  if (settings.recorded.from !== undefined || isLeft) return;
  checkChildren({ ...run, state, continuation, fileSystem }, (text) => compileWith(text, settings.ports));
}
