import { nodeAttribute } from './attributes.js';
import type { Node } from './graph.js';
import type { HandlerType } from './handler-types.js';
import { actionWords } from './manager-actions.js';

/** True if the handler of a node asks a model: an LLM stage does, and so does one that chooses or steers by a prompt. */
export function asksModel(node: Node, { llm, mayAskModel, runsChild }: HandlerType): boolean {
  if (llm) return true;
  if (!mayAskModel || nodeAttribute(node, 'prompt') === '') return false;
  return !runsChild || actionWords(node).includes('steer');
}
