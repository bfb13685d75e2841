import path from 'node:path';
import { compile } from '../compiler/compile.js';
import { graphAttribute, nodeAttribute } from '../graph/attributes.js';
import { actionWords } from '../graph/manager-actions.js';
import { type ModelChoice, modelChoice } from '../graph/model-choice.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { ChosenExtensions } from '../plugins/load-extensions.js';
import { readText } from '../run/children/child-file.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { compileOptionsOf, isModelStage } from './extensions.js';

/** A stage that asks a model, of the run or of a pipeline that one of its stages runs. */
export interface ModelStage {
  /** As scripts name it: `<node>/<node of the child>`. */
  readonly id: string;
  readonly asked: ModelChoice;
  /** Whether a budget holds for it: its own, that of its run, or one of the runs above. */
  readonly isBudgeted: boolean;
}

/** A pipeline, and what is known of it before it runs. */
export interface PlannedPipeline {
  readonly program: Program;
  readonly extensions: ChosenExtensions;
  readonly script: SimulationScript;
  /** The directory from which the files of children are seen; undefined where they are not to be looked at. */
  readonly directory: string | undefined;
  /** Whether a budget holds for it that its text does not have: one of the call, or of the runs above. */
  readonly isBudgeted: boolean;
}

/**
 * The stages that ask a model, those of children included as far as their files are there by now. A script answers in place of
 * the stages that it names, and of all that is below them.
 */
export function modelStages(pipeline: PlannedPipeline): readonly ModelStage[] {
  return stagesBelow(pipeline, '', new Set());
}

/** @param seen the files of children that were looked at */
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

/** Whether a graph, a node or a call sets a budget. */
export function hasBudget({ budgetUsd, budgetTokens }: Budgets): boolean {
  return budgetUsd !== undefined || budgetTokens !== undefined;
}

interface Budgets {
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
}

/** Whether the handler of a node asks a model: an LLM stage does, and what chooses or steers by a prompt. */
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

/** The pipeline that a node runs; undefined where there is none yet, or none that compiles, which its stage will say. */
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
  const text = readText(file);
  if (typeof text !== 'string') return undefined;
  const { program: child } = compile(text, { name: file, ...compileOptionsOf(extensions) });
  return child && { ...pipeline, program: child, directory: path.dirname(file) };
}
