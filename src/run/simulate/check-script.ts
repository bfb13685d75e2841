import { nodeAttribute } from '../../graph/attributes.js';
import { asksForTextAlone, describeChoice, gateChoices, matchChoice } from '../../graph/choices.js';
import { handlerTypeNamed } from '../../graph/handler-types.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { RunError } from '../../run-directory/run-error.js';
import type { SimulationScript } from '../../run-directory/simulation-script.js';
import { isOfChild } from '../children/child-script.js';

/**
 * @throws RunError `usage` for a script that does not fit the pipeline (SEMANTICS 86); entries for a child
 * are checked there
 */
export function checkScript(program: Program, script: SimulationScript): void {
  checkScriptNodes(program, script);
  checkAnswers(program, script.answers);
}

function checkScriptNodes(program: Program, { nodes, answers }: SimulationScript): void {
  for (const id of [...nodes.keys(), ...answers.keys()]) {
    if (program.nodes.has(id) || isOfChild(program, id)) continue;
    throw usage(`the script names "${id}", but the pipeline has no such node`);
  }
}

/** @throws RunError `usage` for an answer that fits no choice, before anything runs (SEMANTICS 86) */
export function checkAnswers(program: Program, answers: ReadonlyMap<string, readonly string[]>): void {
  for (const [nodeId, prepared] of answers) {
    if (isOfChild(program, nodeId)) continue;
    const node = program.nodes.get(nodeId);
    if (node === undefined)
      throw usage(`an answer is given for "${nodeId}", which is not a node of the pipeline`);
    if (node.handler.type === 'wait.human') checkChoices(program, node, prepared);
    else if (!mayAsk(node)) {
      throw usage(`an answer is given for "${nodeId}", but a stage of type ${node.handler.type} never asks`);
    }
  }
}

function checkChoices(program: Program, { id, node }: ProgramNode, answers: readonly string[]): void {
  const choices = gateChoices(program.graph, id);
  const words = nodeAttribute(node, 'human.text');
  const isTextAlone = asksForTextAlone(choices, words);
  for (const answer of answers) {
    const tab = words === undefined || isTextAlone ? -1 : answer.indexOf('\t');
    const choice = tab === -1 ? answer : answer.slice(0, tab);
    if (
      words === 'required' &&
      (isTextAlone ? answer : answer.slice(tab === -1 ? answer.length : tab)).trim() === ''
    )
      throw usage(`the answer to "${id}" needs a text, which follows the choice after a tab`);
    if (isTextAlone || matchChoice(choices, choice) !== undefined) continue;
    throw usage(
      `"${answer}" does not answer "${id}", which offers: ${choices.map(describeChoice).join(', ')}`,
    );
  }
}

/**
 * True if a stage may ask: a registered handler may, so may the model of an interactive stage, and the engine asks about a
 * stage that must not simply run again.
 */
function mayAsk(node: ProgramNode): boolean {
  return (
    handlerTypeNamed(node.handler.type) === undefined ||
    !node.idempotent ||
    nodeAttribute(node.node, 'interactive')
  );
}

/** @throws RunError `usage` for an invalid seed, or one without effect */
export function checkSeed(seed: number | undefined, simulate: boolean): void {
  if (seed === undefined) return;
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw usage(`the seed must be a whole number of at least 0, not ${seed}`);
  if (!simulate) throw usage('a seed only affects simulations; use it with `--simulate`');
}

function usage(message: string): RunError {
  return new RunError('usage', message);
}
