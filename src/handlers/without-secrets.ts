import type { Stage } from './handler.js';

/** A text as the stage may keep it, tell it or send it to a model (DESIGN §4). To be called before anything of it is cut. */
export function withoutSecrets({ redactor }: Pick<Stage, 'redactor'>, text: string): string {
  return redactor === undefined ? text : redactor.text(text);
}
