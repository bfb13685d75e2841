import { type AttributeOwner, attributeDefinition, checkPrefix } from '../../../graph/attributes.js';
import { nodeConditions } from '../../../graph/queries.js';

/** Language inside the value of an attribute. */
export type ValueLanguage =
  | 'condition'
  | 'stylesheet'
  | 'key_list'
  | 'property'
  /** Text with `${path}`. */
  | 'template'
  /** Command with `${path}`. */
  | 'shell'
  /** Names of classes, between commas. */
  | 'classes'
  /** Id of a node. */
  | 'node'
  /** Choice of a gate, or id of a node. */
  | 'choice'
  /** Path of a file, relative to the pipeline. */
  | 'file'
  | 'model'
  /** Context key of an item. */
  | 'key'
  | 'plain';

const conditions: readonly string[] = nodeConditions;
const keyLists: Readonly<Record<AttributeOwner, readonly string[]>> = {
  graph: ['inputs'],
  node: ['reads', 'writes'],
  edge: [],
};
const files: readonly string[] = ['child', 'prompt_file', 'stack.child_dotfile'];

/** Language of the values of an attribute. */
export function languageOf(owner: AttributeOwner, name: string): ValueLanguage {
  if (owner === 'edge') return name === 'condition' ? 'condition' : 'plain';
  if (keyLists[owner].includes(name)) return 'key_list';
  if (files.includes(name)) return 'file';
  if (name === 'llm_model') return 'model';
  if (owner === 'graph' && name === 'model_stylesheet') return 'stylesheet';
  if (owner === 'graph' && name.startsWith(checkPrefix)) return 'property';
  if (owner === 'node') {
    if (conditions.includes(name)) return 'condition';
    if (name === 'class') return 'classes';
    if (name === 'as') return 'key';
  }
  const { names, template } = attributeDefinition(owner, name) ?? {};
  if (names !== undefined) return names;
  if (template !== undefined) return template === 'shell' ? 'shell' : 'template';
  return 'plain';
}
