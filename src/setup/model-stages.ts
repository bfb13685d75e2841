import path from 'node:path';
import { compile } from '../compiler/compile.js';
import { graphAttribute, nodeAttribute } from '../graph/attributes.js';
import { actionWords } from '../graph/manager-actions.js';
import { type ModelChoice, modelChoice } from '../graph/model-choice.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import { readChildText } from '../run/children/child-file.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { compileOptionsOf, isModelStage } from './extensions.js';

/** Stage that asks a model, in the run or in a pipeline that one of its stages runs. */
export interface ModelStage {
  /** Id as in scripts: `<node>/<node of the child>`. */
  readonly id: string;
  readonly asked: ModelChoice;
  /** True if a budget limits its costs: its own, that of its run, or one of the runs above. */
  readonly isBudgeted: boolean;
}

/** Pipeline with the facts known before it runs. */
export interface PlannedPipeline {
  readonly program: Program;
  readonly extensions: ChosenExtensions;
  readonly script: SimulationScript;
  /** Directory to which the files of children are relative; undefined to leave children out. */
  readonly directory: string | undefined;
  /** True if it has a budget that its text does not have: one of the call, or of the runs above. */
  readonly isBudgeted: boolean;
}

/**
 * Stages that ask a model, including those of children whose files exist. A script answers instead of the
 * stages that it names, and of all that are below them.
 */
export function modelStages(pipeline: PlannedPipeline): readonly ModelStage[] {
  return stagesBelow(pipeline, '', new Set());
}

/** @param seen files of children that were visited */
function stagesBelow(pipeline: PlannedPipeline, prefix: string, seen: Set<string>): readonly ModelStage[] {
  const { program, extensions, script } = pipeline;
  return [...program.nodes.values()].flatMap((node) => {
    const id = `${prefix}${node.id}`;
    if (script.nodes.has(id)) return [];
    const isBudgeted = pipeline.isBudgeted || hasBudget(program.limits) || hasBudget(node);
    const asked = modelChoice(program.graph, node.node);
    const own = asksModel(node, extensions) ? [{ id, asked, isBudgeted }] : [];
    const child = childOf({ ...pipeline, isBudgeted }, node, seen);
    return child === undefined ? own : [...own, ...stagesBelow(child, `${id}/`, seen)];
  });
}

/** True if a graph, a node or a call sets a budget. */
export function hasBudget({ budgetUsd, budgetTokens }: Budgets): boolean {
  return budgetUsd !== undefined || budgetTokens !== undefined;
}

interface Budgets {
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
}

/**
 * True if the handler of a node asks a model: an LLM stage does, and so does one that chooses or steers by
 * a prompt.
 */
function asksModel(node: ProgramNode, extensions: ChosenExtensions): boolean {
  const { handler, node: described } = node;
  if (isModelStage(node, extensions)) return true;
  if (!handler.mayAskModel || isOfPlugin(node, extensions)) return false;
  if (nodeAttribute(described, 'prompt') === '') return false;
  return !handler.runsChild || actionWords(described).includes('steer');
}

function isOfPlugin({ handler }: ProgramNode, { handlers }: ChosenExtensions): boolean {
  return handlers.some(({ type }) => type === handler.type);
}

/**
 * Pipeline that a node runs; undefined if it does not exist yet, or does not compile, which its stage will
 * report.
 */
function childOf(
  pipeline: PlannedPipeline,
  node: ProgramNode,
  seen: Set<string>,
): PlannedPipeline | undefined {
  const { program, extensions, directory } = pipeline;
  if (directory === undefined || !node.handler.runsChild || isOfPlugin(node, extensions)) return undefined;
  const isManager = node.handler.mayAskModel;
  if (isManager && !nodeAttribute(node.node, 'stack.child_autostart')) return undefined;
  const ofGraph = isManager ? graphAttribute(program.graph, 'stack.child_dotfile').trim() : '';
  const name = nodeAttribute(node.node, 'child').trim() || ofGraph;
  const file = path.resolve(directory, name);
  if (name === '' || seen.has(file)) return undefined;
  seen.add(file);
  const text = readChildText(file);
  if (typeof text !== 'string') return undefined;
  const { program: child } = compile(text, { name: file, ...compileOptionsOf(extensions) });
  return child && { ...pipeline, program: child, directory: path.dirname(file) };
}
