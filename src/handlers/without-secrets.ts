import type { Stage } from './handler.js';

/**
 * Removes secrets from a text that the stage keeps, reports or sends to a model (DESIGN §4). Call it before
 * the text is cut.
 */
export function withoutSecrets({ redactor }: Pick<Stage, 'redactor'>, text: string): string {
  return redactor === undefined ? text : redactor.text(text);
}
