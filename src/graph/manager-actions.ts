import { nodeAttribute } from './attributes.js';
import type { Node } from './graph.js';

/** What a manager loop can do in a cycle (§4.11). */
export const managerActions = ['observe', 'steer', 'wait'] as const;

export type ManagerAction = (typeof managerActions)[number];

/** The words of `manager.actions`, whether they are actions or not. */
export function actionWords(node: Node): readonly string[] {
  return nodeAttribute(node, 'manager.actions')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

export function isManagerAction(word: string): word is ManagerAction {
  return managerActions.some((action) => action === word);
}
