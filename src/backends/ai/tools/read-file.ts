import { z } from 'zod';
import { agentTool, ToolProblem } from './agent-tool.js';
import { readablePath } from './confined-path.js';
import { FileExcerpt } from './file-excerpt.js';
import { readTextInPieces } from './text-file.js';

const mostLines = 2000;

/** Reads a text file, or a part of it, however large it is. */
export const readFileTool = agentTool({
  name: 'read_file',
  isReadOnly: true,
  description: `Reads a text file of the working directory. Without a limit, at most ${mostLines} lines; a note at the end says where to read on.`,
  input: z.strictObject({
    path: z.string().min(1).describe('Relative to the working directory.'),
    offset: z.int().min(1).optional().describe('The first line to read, from 1.'),
    column: z
      .int()
      .min(1)
      .optional()
      .describe('The first character to read of that line, from 1; for the rest of a very long line.'),
    limit: z.int().min(1).optional().describe('Number of lines to read.'),
  }),
  async run({ path, offset = 1, column = 1, limit = mostLines }, context) {
    const excerpt = new FileExcerpt({ offset, column, limit });
    const clean = context.redactor.stream();
    for await (const piece of readTextInPieces(await readablePath(context, path), path)) {
      context.signal.throwIfAborted();
      excerpt.add(clean.add(piece));
    }
    excerpt.add(clean.end());
    const { problem, text } = excerpt.end();
    if (problem !== undefined) throw new ToolProblem(`"${path}" ${problem}`);
    return text;
  },
});
