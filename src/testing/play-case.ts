import type { JsonValue } from '../graph/json.js';
import type { Program, ProgramNode } from '../graph/program.js';
import { declaredInputs, withDefaultInputs } from '../graph/values/declared-inputs.js';
import { ownPrompt } from '../handlers/codergen.js';
import type { Handler, Stage } from '../handlers/handler.js';
import type { RunEvent } from '../machine/event.js';
import type { Question } from '../machine/interview.js';
import { simulatedInterviewer } from '../run/questions/auto-approve.js';
import { matchAnswer } from '../run/questions/match-answer.js';
import { answerScript, scriptedInterviewer } from '../run/questions/scripted-interviewer.js';
import { simulateWith, simulationHandler } from '../run/simulate/simulate.js';
import type { RunResult } from '../view/run-result.js';
import { inputsOfCase, type TestCase } from './test-file.js';

/** All that a test can see of a simulation. */
export interface Observation {
  readonly status: RunResult['status'];
  /** Reason of a failure or a pause. */
  readonly reason: string | undefined;
  readonly path: readonly string[];
  readonly visits: Readonly<Record<string, number>>;
  readonly context: Readonly<Record<string, JsonValue>>;
  /** Prompts of each LLM stage, one for each attempt. */
  readonly prompts: ReadonlyMap<string, readonly string[]>;
  readonly asked: readonly { readonly stage: string; readonly text: string }[];
  /** Estimated cost in US dollars of the stages that have one. */
  readonly cost: number;
  /** Stages whose cost is not known. */
  readonly unpriced: readonly string[];
}

/** Part of a case that decides what happens. */
export type Setup = Omit<TestCase, 'name' | 'generated' | 'expect'>;

/** Estimated cost of a request in US dollars; undefined if it is not known. */
export type CostOfRequest = (
  node: ProgramNode,
  prompt: string,
  response: string | undefined,
) => number | undefined;

/** Decides what happens in place of a script. */
export interface Chooser {
  /** @param usual handler of an attempt that no script mentions */
  handlerOf(node: ProgramNode, execution: number, usual: Handler): Handler;
  /**
   * Answer to a question, as a person types it; undefined if nobody answers.
   * @param usual the answer of a simulation
   */
  answer(nodeId: string, usual: string): string | undefined;
}

export interface Observers {
  readonly chooser?: Chooser | undefined;
  readonly costOf?: CostOfRequest | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** Beginning of the virtual time of every case. */
const start = Date.UTC(2026, 0, 1);

/** Plays a case in the simulator, in memory and in virtual time: the same case gives the same observation. */
export async function playCase(
  program: Program,
  setup: Setup,
  { costOf, onEvent, chooser }: Observers = {},
): Promise<Observation> {
  const { script, seed } = setup;
  const inputs = inputsOfCase(setup);
  const prompts = new Map<string, string[]>();
  const asked: { stage: string; text: string }[] = [];
  const unpriced = new Set<string>();
  const settings = { script, customOutcomes: setup.custom_outcomes, madeUp: new Map() };
  const interviewer = scriptedInterviewer(
    answerScript(script.answers, () => 0),
    simulatedInterviewer,
  );
  let cost = 0;
  const notePrompt = (node: ProgramNode, stage: Stage, response: string | undefined): void => {
    const prompt = promptText(stage);
    prompts.set(node.id, [...(prompts.get(node.id) ?? []), prompt]);
    if (costOf === undefined) return;
    const estimate = costOf(node, prompt, response);
    if (estimate === undefined) unpriced.add(node.id);
    else cost += estimate;
  };
  const result = await simulateWith(
    program,
    {
      inputs: withDefaultInputs(Object.fromEntries(inputs), declaredInputs(program.graph)),
      seed,
      start,
      maxSteps: setup.max_steps,
      strictValues: setup.strict_values,
      customOutcomes: setup.custom_outcomes,
      onEvent,
    },
    {
      interviewer: {
        ask(question, ...rest) {
          asked.push({ stage: question.stage, text: question.text });
          const usual = chooser && usualAnswer(question);
          if (chooser === undefined || usual === undefined) return interviewer.ask(question, ...rest);
          const answer = chooser.answer(question.stage, usual);
          return Promise.resolve(answer === undefined ? undefined : matchAnswer(question, answer));
        },
      },
      handlerOf: (node, execution) => {
        const simulated = simulationHandler(program, node, execution, settings);
        const handler = chooser?.handlerOf(node, execution, simulated) ?? simulated;
        if (!node.handler.llm) return handler;
        const entries = script.nodes.get(node.id);
        const response = entries?.[Math.min(execution, entries.length - 1)]?.response;
        return observed(handler, (stage) => notePrompt(node, stage, response));
      },
    },
  );
  return {
    status: result.status,
    reason: result.failure_reason ?? result.paused_reason,
    path: result.path,
    visits: result.visits,
    context: result.context,
    prompts,
    asked,
    cost,
    unpriced: [...unpriced],
  };
}

/** Answer of a simulation to the question of a gate, as a person would type it; undefined for another question. */
function usualAnswer({ type, options, words }: Question): string | undefined {
  const text = words === 'required' ? '[Simulated] text' : undefined;
  if (type === 'FREEFORM') return text;
  const [first] = options;
  if (type !== 'MULTIPLE_CHOICE' || first === undefined) return undefined;
  return text === undefined ? first.key : `${first.key}\t${text}`;
}

function observed(handler: Handler, before: (stage: Stage) => void): Handler {
  return {
    ...handler,
    execute(stage) {
      before(stage);
      return handler.execute(stage);
    },
  };
}

/** Own prompt of a stage; empty if a value is missing, which is for its handler to report. */
function promptText(stage: Stage): string {
  try {
    return ownPrompt(stage)
      .map((part) => (typeof part === 'string' ? part : part.text))
      .join('');
  } catch {
    return '';
  }
}
