import path from 'node:path';
import type { Stage } from '../handler.js';

const variable = 'ATTRACTOR_CONTEXT';
const fileName = 'context.json';

/**
 * Variable of a command with the path of a JSON file that has the whole context, by flat keys and with the values of
 * artifacts (SEMANTICS 111). A command that does not mention it gets none, and the file is not written.
 * @param command as written in the pipeline
 */
export function contextFile(stage: Stage, command: string): Readonly<Record<string, string>> {
  if (!/\bATTRACTOR_CONTEXT\b/.test(command)) return {};
  const context = stage.context.snapshot();
  stage.makeStageDirectory();
  stage.writeFile(fileName, `${JSON.stringify(stage.redactor?.json(context) ?? context, null, 2)}\n`);
  return { [variable]: path.join(stage.stageDirectory, fileName) };
}
