import { branchRegions, parallelsAround } from '../../graph/branch-regions.js';
import { describeChoice, gateChoices, matchChoice } from '../../graph/choices.js';
import { handlerTypeNamed } from '../../graph/handler-types.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import { foundText } from '../handlers/found-text.js';
import { isOfChild } from './child-script.js';
import { HandlerRegistry } from './handler-registry.js';
import { RunError } from './run-error.js';
import type { SimulationScript } from './simulation-script.js';

/** What a program in JavaScript may get wrong without being told by a compiler. */
interface GivenOptions {
  readonly handlers?: unknown;
  readonly answers?: unknown;
  readonly script?: unknown;
  readonly maxSteps?: unknown;
  readonly runDirectory?: unknown;
}

/** @throws RunError `usage` for options that are not what they must be, before anything is made of them */
export function checkOptions({ handlers, answers, script, maxSteps, runDirectory }: GivenOptions): void {
  if (handlers !== undefined && !(handlers instanceof HandlerRegistry)) {
    throw usage(
      `the option "handlers" must be a HandlerRegistry, not ${foundText(handlers)}: new HandlerRegistry().register(type, handler)`,
    );
  }
  if (answers !== undefined && !isMapOfLists(answers)) {
    throw usage(
      `the option "answers" must be a Map from node ids to lists of texts, not ${foundText(answers)}: new Map([["gate", ["A"]]])`,
    );
  }
  if (script !== undefined && !isScript(script)) {
    throw usage(`the option "script" must be what readScript gives, not ${foundText(script)}`);
  }
  if (maxSteps !== undefined && (!Number.isSafeInteger(maxSteps) || Number(maxSteps) < 1)) {
    throw usage(`the option "maxSteps" must be a whole number of at least 1, not ${String(maxSteps)}`);
  }
  if (runDirectory !== undefined && (typeof runDirectory !== 'string' || runDirectory.trim() === '')) {
    throw usage(`the option "runDirectory" must be the path of a directory, not ${foundText(runDirectory)}`);
  }
}

function isScript(value: unknown): boolean {
  const { nodes, answers } = (value ?? {}) as Partial<SimulationScript>;
  return isMapOfLists(nodes) && isMapOfLists(answers);
}

function isMapOfLists(value: unknown): boolean {
  return value instanceof Map && [...value.values()].every((entry) => Array.isArray(entry));
}

/** @throws RunError `usage` for a script that does not fit the pipeline (SEMANTICS 86); what it says of a child is checked there */
export function checkScript(program: Program, script: SimulationScript): void {
  checkScriptNodes(program, script);
  checkAnswers(program, script.answers);
}

function checkScriptNodes(program: Program, { nodes, answers }: SimulationScript): void {
  for (const id of [...nodes.keys(), ...answers.keys()]) {
    if (program.nodes.has(id) || isOfChild(program, id)) continue;
    throw usage(`the script speaks of "${id}", but the pipeline has no such node`);
  }
}

/** @throws RunError `usage` for an answer that fits no choice, before anything runs (SEMANTICS 86) */
export function checkAnswers(program: Program, answers: ReadonlyMap<string, readonly string[]>): void {
  for (const [nodeId, prepared] of answers) {
    if (isOfChild(program, nodeId)) continue;
    const node = program.nodes.get(nodeId);
    if (node === undefined)
      throw usage(`an answer is given for "${nodeId}", which is no node of the pipeline`);
    if (node.handler.type === 'wait.human') checkChoices(program, node, prepared);
    else if (!mayAsk(node)) {
      throw usage(`an answer is given for "${nodeId}", but a stage of type ${node.handler.type} never asks`);
    }
  }
}

function checkChoices(program: Program, { id }: ProgramNode, answers: readonly string[]): void {
  const choices = gateChoices(program.graph, id);
  for (const answer of answers) {
    if (matchChoice(choices, answer) !== undefined) continue;
    throw usage(
      `"${answer}" is no answer to "${id}", which offers: ${choices.map(describeChoice).join(', ')}`,
    );
  }
}

/** A registered handler may ask what it likes, and the engine asks about a stage that must not simply run again. */
function mayAsk(node: ProgramNode): boolean {
  return handlerTypeNamed(node.handler.type) === undefined || !node.idempotent;
}

/** @throws RunError `usage` for a node to go on at that the pipeline does not have, or that only branches run (SEMANTICS 48) */
export function checkStart(program: Program, nodeId: string | undefined): void {
  if (nodeId === undefined) return;
  if (!program.nodes.has(nodeId))
    throw usage(`the run cannot go on at "${nodeId}", which is no node of its pipeline`);
  const parallelId = parallelAround(program, nodeId);
  if (parallelId === undefined) return;
  throw usage(
    `the run cannot go on at "${nodeId}", which runs in branches of "${parallelId}" only. Name "${parallelId}" instead to run all of them again, or no node: then the run goes on where it stopped, and does nothing again that had finished`,
  );
}

/** The parallel node of the main line in whose branches alone a node runs. */
function parallelAround({ graph, nodes }: Program, nodeId: string): string | undefined {
  const joins = new Map<string, string>();
  for (const { id, parallel } of nodes.values()) if (parallel !== undefined) joins.set(id, parallel.joinId);
  if (joins.size === 0) return undefined;
  const { mainLine, branches } = branchRegions(graph, joins);
  return mainLine.has(nodeId) ? undefined : parallelsAround(branches.get(nodeId)?.[0]).at(-1);
}

/** @throws RunError `usage` for a seed that is none, or that decides nothing */
export function checkSeed(seed: number | undefined, simulate: boolean): void {
  if (seed === undefined) return;
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw usage(`the seed must be a whole number of at least 0, not ${seed}`);
  if (!simulate)
    throw usage('a seed decides only what is left to chance in a simulation; use it with `--simulate`');
}

function usage(message: string): RunError {
  return new RunError('usage', message);
}
