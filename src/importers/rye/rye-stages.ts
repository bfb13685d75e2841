import type { JsonValue } from '../../graph/json.js';
import { unquoteHereDocuments } from '../here-documents.js';
import { mapOf, type RyeMap, type RyeNode, textOf } from './rye-graph.js';
import { translateText, translateValue, type ValuePlace } from './rye-values.js';

/** Stage that does what an action of Rye does: its kind, and its attributes. */
export interface RyeStage {
  readonly result: ValuePlace['result'];
  readonly attributes: ReadonlyMap<string, JsonValue>;
  /** Difference that the reader of the pipeline has to know. */
  readonly changed?: string;
}

/** @param node a node with an action */
export function stageOf(node: RyeNode, place: ValuePlace): RyeStage {
  const { itemId, itemType, params } = node;
  if (params.async === true || mapOf(node.written.action).async === true)
    place.lost('async: the run waits for this stage; a parallel node runs stages next to each other');
  if (itemType === 'directive') return modelStage(itemId, params, {}, place);
  if (itemId === 'rye/bash') return commandStage(params, place);
  if (itemId.endsWith('/thread_directive'))
    return modelStage(
      textOf(params.directive_id) || textOf(params.directive_name),
      mapOf(params.inputs),
      params,
      place,
    );
  if (/^(?:graphs|workflows)\//.test(itemId)) return pipelineStage(itemId, params, place);
  return programStage(itemId, params, place);
}

/** Kind of the result of an action, which its texts may already read. */
export function resultOf({ kind, itemId, itemType }: RyeNode): ValuePlace['result'] {
  if (kind === 'gate' || kind === 'return') return 'none';
  if (itemType === 'directive' || itemId.endsWith('/thread_directive')) return 'model';
  if (itemId === 'rye/bash') return 'command';
  return /^(?:graphs|workflows)\//.test(itemId) ? 'pipeline' : 'program';
}

function commandStage(params: RyeMap, place: ValuePlace): RyeStage {
  const command = translateText(textOf(params.command), place);
  const isOnlyValue = /^\$\{[^}]*\}$/.test(command);
  const attributes = new Map<string, JsonValue>([
    ['shape', 'parallelogram'],
    ['tool_command', isOnlyValue ? `sh -c ${command}` : unquoteHereDocuments(command)],
  ]);
  const directory = textOf(params.working_dir) || textOf(params.cwd);
  if (directory !== '') attributes.set('workdir', translateText(directory, place));
  if (typeof params.timeout === 'number') attributes.set('timeout', `${params.timeout}s`);
  return {
    result: 'command',
    attributes,
    changed: isOnlyValue
      ? 'values reach a command quoted, as one word: `sh -c` runs this one, so be sure where it comes from'
      : undefined,
  };
}

function modelStage(directive: string, inputs: RyeMap, params: RyeMap, place: ValuePlace): RyeStage {
  const given = Object.entries(inputs).map(([name, value]) => {
    const text = translateValue(value, place);
    return `${name}: ${typeof text === 'string' ? text : JSON.stringify(text)}`;
  });
  const prompt = [`Follow the directive "${directive}".`, ...given].join('\n\n');
  const attributes = new Map<string, JsonValue>([['prompt', prompt]]);
  const { spend, tokens, turns } = mapOf(params.limit_overrides);
  if (typeof spend === 'number') attributes.set('budget_usd', spend);
  if (typeof tokens === 'number') attributes.set('budget_tokens', tokens);
  if (turns !== undefined)
    place.lost(
      `turns: ${JSON.stringify(turns)}: a stage has a \`timeout\` and budgets, but no limit of turns`,
    );
  const changed = `the directive "${directive}" is not part of the pipeline: put its text into the prompt, or name its file in \`prompt_file\``;
  return { result: 'model', attributes, changed };
}

function pipelineStage(itemId: string, params: RyeMap, place: ValuePlace): RyeStage {
  const child = `${itemId.split('/').at(-1)}.dot`;
  const attributes = new Map<string, JsonValue>([
    ['type', 'pipeline'],
    ['child', child],
  ]);
  for (const [name, value] of Object.entries(params)) {
    if (engineParams.has(name)) continue;
    attributes.set(`params.${name}`, translateValue(value, place));
  }
  return { result: 'pipeline', attributes, changed: `migrate the graph "${itemId}" to "${child}", too` };
}

/** Params that the walker reads or adds: the callee does not get them. */
const engineParams: ReadonlySet<string> = new Set(['async', 'capabilities', 'depth', 'permissions']);

function programStage(itemId: string, params: RyeMap, place: ValuePlace): RyeStage {
  const given = Object.entries(params).filter(([name]) => !engineParams.has(name));
  const words = given.map(([name, value]) => {
    const text = translateValue(value, place);
    if (typeof text !== 'string') return quoted(`${name}=${JSON.stringify(text)}`);
    return `${name}=${/^\$\{[\w.]*\}$/.test(text) ? text : quoted(text)}`;
  });
  const attributes = new Map<string, JsonValue>([
    ['shape', 'parallelogram'],
    ['tool_command', ['.ai/tools', itemId].join('/') + words.map((word) => ` ${word}`).join('')],
    ['output', 'json'],
  ]);
  const changed = `the tool "${itemId}" has to be a program that takes name=value arguments and prints its result as JSON`;
  return { result: 'program', attributes, changed };
}

/** Word of a shell; values in single quotes are replaced too. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
