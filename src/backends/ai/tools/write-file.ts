import { z } from 'zod';
import { agentTool } from './agent-tool.js';
import { confinedTarget } from './confined-path.js';
import { writeText } from './write-text.js';

/** Writes a whole file. */
export const writeFileTool = agentTool({
  name: 'write_file',
  description:
    'Writes a text file of the working directory, in place of what was in it; directories above it are made. To change a part of a file, use edit_file.',
  input: z.strictObject({
    path: z.string().min(1).describe('Relative to the working directory.'),
    content: z.string().describe('All of the new text.'),
  }),
  async run({ path, content }, context) {
    await writeText(await confinedTarget(context, path), path, content);
    return `Wrote ${Buffer.byteLength(content)} bytes to ${path}.`;
  },
});
