import type { BackendCall } from '../../handlers/codergen-backend.js';
import { askPersonTool } from '../ask-person.js';
import { verdictInstruction } from '../verdict.js';

/** Possibilities of a model in its stage. */
export interface Situation {
  /** Real path of the working directory. */
  readonly root: string;
  /** True if it has tools for files, commands or services. */
  readonly hasTools: boolean;
  /** True if it may ask a person (SEMANTICS 129). */
  readonly mayAsk: boolean;
}

/** System prompt, which describes the situation of the model; that of the author follows. */
export function systemPrompt(
  { root, hasTools, mayAsk }: Situation,
  { routes, systemPrompt: own }: Pick<BackendCall, 'routes' | 'systemPrompt'>,
): string {
  const lines = [
    `You do the work of one stage of a pipeline. ${mayAsk ? canAsk : cannotAsk}`,
    hasTools
      ? `Your working directory is ${root}. Work on its files with your tools; paths are relative to it. Look before you change, and check what you have done.`
      : 'You have no tools for files or commands: answer from what you are given.',
    'Your last message is the result of the stage; make it complete and brief.',
    ...(routes === undefined ? [] : [verdictInstruction(routes)]),
  ];
  const situation = lines.join('\n');
  return own === undefined ? situation : `${situation}\n\n${own}`;
}

const cannotAsk =
  'Nobody can answer questions while you work: decide yourself, and say in your answer what you assumed.';
const canAsk = `A person answers questions, but only if you ask them with the tool ${askPersonTool}. Decide the rest yourself, and say in your answer what you assumed.`;
