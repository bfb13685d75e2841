import { nodeAttribute } from './attributes.js';
import type { Node } from './graph.js';
import { listWords } from './list-words.js';

/** Actions of a manager loop in a cycle (§4.11). */
export const managerActions = ['observe', 'steer', 'wait'] as const;

export type ManagerAction = (typeof managerActions)[number];

/** Words of `manager.actions`, even if they are not actions. */
export function actionWords(node: Node): readonly string[] {
  return listWords(nodeAttribute(node, 'manager.actions')).map(({ word }) => word);
}

export function isManagerAction(word: string): word is ManagerAction {
  return managerActions.some((action) => action === word);
}
