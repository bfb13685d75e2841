import path from 'node:path';
import { asksModel } from '../graph/asks-model.js';
import { childFile } from '../graph/child-file.js';
import { type ModelChoice, modelChoice } from '../graph/model-choice.js';
import type { Program, ProgramNode } from '../graph/program.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { readChildText } from './children/child-file.js';

/** Stage that asks a model, in the run or in a pipeline that one of its stages runs. */
export interface ModelStage {
  /** Id as in scripts: `<node>/<node of the child>`. */
  readonly id: string;
  readonly asked: ModelChoice;
}

/** Pipeline with the facts known before it runs. */
export interface PlannedPipeline {
  readonly program: Program;
  readonly script: SimulationScript;
  /** Directory to which the files of children are relative; undefined to leave children out. */
  readonly directory: string | undefined;
  /** True if a handler of a plugin, or of the embedding program, does the work of a node. */
  readonly isForeign: (node: ProgramNode) => boolean;
  /** @returns undefined for a text that cannot run */
  readonly compile: (text: string, file: string) => Program | undefined;
}

/** Requests that a pipeline will make to models, those that are known before it runs. */
export interface PlannedModels {
  /** Without the stages that a script names, and those below them. */
  readonly stages: readonly ModelStage[];
  /** True if a stage runs a pipeline that is not known yet: its file does not exist, or is not looked at. */
  readonly hasUnknownChild: boolean;
}

export function modelStages(pipeline: PlannedPipeline): PlannedModels {
  const found: { stages: ModelStage[]; hasUnknownChild: boolean } = { stages: [], hasUnknownChild: false };
  const seen = new Set<string>();
  const visit = (planned: PlannedPipeline, prefix: string): void => {
    const { program, script } = planned;
    for (const node of program.nodes.values()) {
      const id = `${prefix}${node.id}`;
      if (script.nodes.has(id)) continue;
      const asked = modelChoice(program.graph, node.node);
      if (asks(node, planned)) found.stages.push({ id, asked });
      const child = childOf(planned, node, seen);
      if (child === 'unknown') found.hasUnknownChild = true;
      else if (child !== undefined) visit(child, `${id}/`);
    }
  };
  visit(pipeline, '');
  return found;
}

/** Of a handler of somebody else only its own word is known. */
function asks(described: ProgramNode, { isForeign }: PlannedPipeline): boolean {
  return isForeign(described) ? described.handler.llm : asksModel(described.node, described.handler);
}

/**
 * Pipeline that a node runs; undefined if there is none, if it was seen before, or if it cannot run, which its stage will
 * report.
 */
function childOf(
  pipeline: PlannedPipeline,
  node: ProgramNode,
  seen: Set<string>,
): PlannedPipeline | 'unknown' | undefined {
  const { program, directory } = pipeline;
  if (!node.handler.runsChild || pipeline.isForeign(node)) return undefined;
  const name = childFile(program.graph, node.node, node.handler);
  if (name === '') return undefined;
  if (directory === undefined) return 'unknown';
  const file = path.resolve(directory, name);
  if (seen.has(file)) return undefined;
  seen.add(file);
  const text = readChildText(file);
  if (text === undefined) return 'unknown';
  const child = typeof text === 'string' ? pipeline.compile(text, file) : undefined;
  return child && { ...pipeline, program: child, directory: path.dirname(file) };
}
