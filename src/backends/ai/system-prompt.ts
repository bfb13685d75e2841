import type { StageRoutes } from '../../graph/stage-routes.js';
import { verdictInstruction } from '../verdict.js';

/** System prompt, which describes the situation of the model. */
export function systemPrompt(
  workingDirectory: string,
  hasTools: boolean,
  routes: StageRoutes | undefined,
): string {
  const lines = [
    'You do the work of one stage of a pipeline. Nobody can answer questions while you work: decide yourself, and say in your answer what you assumed.',
    hasTools
      ? `Your working directory is ${workingDirectory}. Work on its files with your tools; paths are relative to it. Look before you change, and check what you have done.`
      : 'You have no tools for files or commands: answer from what you are given.',
    'Your last message is the result of the stage; make it complete and brief.',
    ...(routes === undefined ? [] : [verdictInstruction(routes)]),
  ];
  return lines.join('\n');
}
