import { chooseBackend } from '../../backends/choose-backend.js';
import type { Span } from '../../diagnostic/source.js';
import { graphAttribute, nodeAttribute } from '../../graph/attributes.js';
import type { Attribute, AttributeMap, Graph, Node } from '../../graph/graph.js';
import { type HandlerType, handlerTypeNamed } from '../../graph/handler-types.js';
import { modelChoice } from '../../graph/model-choice.js';
import { autoBackendName } from '../extensions.js';
import type { PolicedRun } from './policed-run.js';

/** Refused part of a pipeline, with its position. */
export interface Refusal {
  /** Words of a diagnostic, without advice on how to allow it. */
  readonly problem: string;
  readonly at: Attribute | Span;
}

const hooks = ['tool_hooks.pre', 'tool_hooks.post'] as const;

/**
 * Refusals of a stage under the policy of a server that allows no commands (§9.5): it would run one, or a
 * program that can, or have a model run one. Nothing here depends on values of the run, so it is known
 * before the run begins.
 */
export function stageRefusals(
  graph: Graph,
  node: Node,
  handler: HandlerType,
  run: PolicedRun,
): readonly Refusal[] {
  return [
    ...workRefusals(node, handler, run),
    ...hookRefusals(node),
    ...modelRefusals(graph, node, handler, run),
  ];
}

/**
 * Refusals of commands, and of work that the table of handlers does not describe well enough to be judged.
 */
function workRefusals(node: Node, handler: HandlerType, run: PolicedRun): readonly Refusal[] {
  const { type, title, runsCommand, harmless, mayAskModel, runsChild } = handler;
  // The work of a model is judged below, and a pipeline when it is read.
  const isHandled = harmless || mayAskModel || runsChild;
  if ((isHandled && !runsCommand) || isOfPlugin(type, run)) return [];
  const at = attributeOf(node.attributes, ['tool_command', 'type', 'shape']) ?? node.span;
  const what = runsCommand ? 'runs' : 'may run';
  return [{ problem: `"${node.id}" is a ${title.toLowerCase()} stage, which ${what} a command`, at }];
}

/**
 * True if a plugin of the operator has added the type; a replacement of a built-in type is judged as that
 * type.
 */
function isOfPlugin(type: string, { extensions }: PolicedRun): boolean {
  return handlerTypeNamed(type) === undefined && extensions.handlers.some((own) => own.type === type);
}

function hookRefusals({ id, attributes }: Node): readonly Refusal[] {
  return hooks.flatMap((name) => {
    const refusal = hookRefusal(attributes, name, `"${id}"`);
    return refusal === undefined ? [] : [refusal];
  });
}

/** @param owner of the hook, in words */
export function hookRefusal(
  attributes: AttributeMap,
  name: (typeof hooks)[number],
  owner: string,
): Refusal | undefined {
  const attribute = attributes.get(name);
  if (attribute === undefined || String(attribute.value).trim() === '') return undefined;
  return { problem: `${name} of ${owner} is a command`, at: attribute };
}

/** Refusals of a backend that is a program, or that runs programs. */
function modelRefusals(
  graph: Graph,
  node: Node,
  { mayAskModel }: HandlerType,
  run: PolicedRun,
): readonly Refusal[] {
  const { extensions, variables, workingDirectory } = run;
  if (!mayAskModel || !isOurs(run)) return [];
  const names = nodeAttribute(node, 'tools').split(',');
  const tools = node.attributes.get('tools');
  const commands: readonly Refusal[] =
    tools !== undefined && names.some((name) => name.trim() === 'run_command')
      ? [{ problem: `tools of "${node.id}" names run_command, which runs commands`, at: tools }]
      : [];
  const environment = { settings: extensions.settings, variables, workingDirectory, mayRunCommands: false };
  const choice = chooseBackend(modelChoice(graph, node), environment);
  if (choice.kind !== 'none' || choice.isRefused !== true) return commands;
  const agent = nodeAttribute(node, 'llm_provider') || graphAttribute(graph, 'llm_provider');
  const name = agent || extensions.settings.provider || '';
  return [
    ...commands,
    { problem: `"${node.id}" uses the coding agent "${name}"`, at: agentPlace(graph, node) },
  ];
}

/** True if one of our backends does the work; those of plugins are the operator's choice. */
function isOurs({ extensions: { backend } }: PolicedRun): boolean {
  return backend === undefined || backend === autoBackendName || backend === 'ai';
}

function agentPlace(graph: Graph, node: Node): Attribute | Span {
  const names = ['llm_provider'];
  return attributeOf(node.attributes, names) ?? attributeOf(graph.attributes, names) ?? node.span;
}

/** First of the attributes that are set. */
function attributeOf(attributes: AttributeMap, names: readonly string[]): Attribute | undefined {
  return names.map((name) => attributes.get(name)).find((attribute) => attribute !== undefined);
}
