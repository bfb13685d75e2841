import { z } from 'zod';
import { agentTool, ToolProblem } from './agent-tool.js';
import { confinedTarget } from './confined-path.js';
import { readExactText } from './text-file.js';
import { writeText } from './write-text.js';

/** Replaces one exact text in a file, so that nothing else is changed by mistake. */
export const editFileTool = agentTool({
  name: 'edit_file',
  description:
    'Replaces a text in a file of the working directory. old_text must be in the file exactly as given, white space included, and only once, unless replace_all is set.',
  input: z.strictObject({
    path: z.string().min(1).describe('Relative to the working directory.'),
    old_text: z.string().min(1).describe('The text to replace, with enough around it to be unique.'),
    new_text: z.string().describe('The new text.'),
    replace_all: z.boolean().optional().describe('Replaces every occurrence.'),
  }),
  async run({ path, old_text: before, new_text: after, replace_all: all = false }, context) {
    const real = await confinedTarget(context, path);
    const text = await readExactText(real, path);
    const parts = text.split(before);
    const count = parts.length - 1;
    if (count === 0) {
      throw new ToolProblem(
        `old_text is not in "${path}"; read the file and copy the text exactly, white space included`,
      );
    }
    if (count > 1 && !all) {
      throw new ToolProblem(
        `old_text is ${count} times in "${path}"; give more of the text around it, or set replace_all`,
      );
    }
    if (before === after) throw new ToolProblem('new_text is the same as old_text');
    await writeText(real, path, parts.join(after));
    return `Replaced ${count === 1 ? 'one occurrence' : `${count} occurrences`} in ${path}.`;
  },
});
