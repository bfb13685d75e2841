import path from 'node:path';
import type { BackendEnvironment } from '../../backends/backend.js';
import { compile } from '../../compiler/compile.js';
import { graphAttribute, nodeAttribute } from '../../graph/attributes.js';
import {
  amountAllowed,
  type BudgetLimit,
  type StageBudget,
  type StageBudgets,
} from '../../graph/budget-limit.js';
import { childFile } from '../../graph/child-file.js';
import type { Graph, Node } from '../../graph/graph.js';
import type { HandlerType } from '../../graph/handler-types.js';
import { knownHandlerTypes } from '../../graph/known-handler-types.js';
import { handlerTypeOf } from '../../graph/queries.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import { readChildText } from '../../run/children/child-file.js';
import type { SimulationScript } from '../../run-directory/simulation-script.js';
import { compileOptionsOf } from '../extensions.js';

/** Run that is about to begin or continue, as its caller knows it. */
export interface PlannedRun {
  /** Graph after the transforms; it may have errors. */
  readonly graph: Graph;
  readonly extensions: ChosenExtensions;
  readonly workingDirectory: string;
  readonly variables: BackendEnvironment['variables'];
  /** False if the pipeline may run neither commands nor coding agents; default true. */
  readonly mayRunCommands?: boolean;
  /** True if every stage is simulated. */
  readonly simulate: boolean;
  /** Script that answers instead of the stages that it names. */
  readonly script: SimulationScript;
  /** Budgets that its text does not have: those of the call, of the resumed run, or of the server. */
  readonly budgets?: Budgets | undefined;
  /** Budgets of the call for stages, by their ids in scripts. */
  readonly stageBudgets?: StageBudgets | undefined;
  /** Directory to which the files of children are relative. */
  readonly childDirectory: string;
}

export interface Budgets {
  readonly budgetUsd?: BudgetLimit | undefined;
  readonly budgetTokens?: number | undefined;
}

/** Pipeline of the run, or one that a stage of it runs. */
export interface PlannedPipeline {
  /** Beginning of the ids of its stages: `''` for the run itself, `<node>/` for a child. */
  readonly prefix: string;
  readonly graph: Graph;
  /** Its stages, without those that a script answers and those that are over. */
  readonly stages: readonly PlannedStage[];
}

export interface PlannedStage {
  /** Id as in scripts: `<node>/<node of the child>`. */
  readonly id: string;
  readonly graph: Graph;
  readonly node: Node;
  readonly handler: HandlerType;
  /** True if a handler of a plugin executes it. */
  readonly isOfPlugin: boolean;
  /** Budgets that apply to it: its own, that of its run, or one of the runs above. */
  readonly isBudgeted: { readonly usd: boolean; readonly tokens: boolean };
  /** Pipeline that it runs, as a file; undefined if it runs none, or files may not be read. */
  readonly child: PlannedChild | undefined;
}

/** File of a child pipeline. */
export interface PlannedChild {
  /** Path as written in the text. */
  readonly written: string;
  readonly file: string;
  /** Undefined if there is no such file, an error if it cannot be read. */
  readonly text: string | Error | undefined;
}

/**
 * The pipeline of a run and all that its stages run, at every depth, each file once. A child that does not
 * exist yet, or does not compile, is left out: its stage will say so.
 * @param left nodes of the run that can still be visited; all if undefined
 */
export function plannedPipelines(run: PlannedRun, left?: ReadonlySet<string>): readonly PlannedPipeline[] {
  const { budgetUsd, budgetTokens } = run.budgets ?? {};
  const isBudgeted = { usd: isLimit(budgetUsd), tokens: isLimit(budgetTokens) };
  const directory = run.mayRunCommands === false ? undefined : run.childDirectory;
  return pipelinesBelow(run, { prefix: '', graph: run.graph, directory, isBudgeted, left }, new Set());
}

interface Place {
  readonly prefix: string;
  readonly graph: Graph;
  /** Undefined to leave children out. */
  readonly directory: string | undefined;
  readonly isBudgeted: PlannedStage['isBudgeted'];
  readonly left?: ReadonlySet<string> | undefined;
}

/** @param seen files of children that were visited */
function pipelinesBelow(run: PlannedRun, place: Place, seen: Set<string>): readonly PlannedPipeline[] {
  const { prefix, graph } = place;
  const stages = stagesOf(run, place);
  const children = stages.flatMap((stage): readonly PlannedPipeline[] => {
    const { id, child, isBudgeted } = stage;
    if (typeof child?.text !== 'string' || seen.has(child.file)) return [];
    seen.add(child.file);
    const options = { name: child.file, ...compileOptionsOf(run.extensions) };
    const { program } = compile(child.text, options);
    if (program === undefined) return [];
    const directory = path.dirname(child.file);
    return pipelinesBelow(run, { prefix: `${id}/`, graph: program.graph, directory, isBudgeted }, seen);
  });
  return [{ prefix, graph, stages }, ...children];
}

function stagesOf(
  { extensions, script, stageBudgets = {} }: PlannedRun,
  place: Place,
): readonly PlannedStage[] {
  const { prefix, graph, left } = place;
  const types = knownHandlerTypes(compileOptionsOf(extensions).handlerTypes);
  return [...graph.nodes.values()].flatMap((node): readonly PlannedStage[] => {
    const id = `${prefix}${node.id}`;
    if (script.nodes.has(id) || left?.has(node.id) === false) return [];
    const handler = handlerTypeOf(graph, node, types);
    const isOfPlugin = extensions.handlers.some(({ type }) => type === handler.type);
    const stage = {
      id,
      graph,
      node,
      handler,
      isOfPlugin,
      isBudgeted: budgetsOf(place, node, stageBudgets[id]),
    };
    return [{ ...stage, child: childOf(stage, place.directory) }];
  });
}

function budgetsOf(
  { graph, isBudgeted }: Place,
  node: Node,
  { usd, tokens }: StageBudget = {},
): PlannedStage['isBudgeted'] {
  const isSet = (name: 'budget_usd' | 'budget_tokens', given: BudgetLimit | undefined): boolean =>
    isLimit(graphAttribute(graph, name)) || isLimit(given ?? nodeAttribute(node, name));
  return {
    usd: isBudgeted.usd || isSet('budget_usd', usd),
    tokens: isBudgeted.tokens || isSet('budget_tokens', tokens),
  };
}

function isLimit(budget: BudgetLimit | undefined): boolean {
  return amountAllowed(budget) !== undefined;
}

function childOf(
  { graph, node, handler, isOfPlugin }: Omit<PlannedStage, 'child'>,
  directory: string | undefined,
): PlannedChild | undefined {
  if (directory === undefined || !handler.runsChild || isOfPlugin) return undefined;
  const written = childFile(graph, node, handler);
  if (written === '') return undefined;
  const file = path.resolve(directory, written);
  return { written, file, text: readChildText(file) };
}
