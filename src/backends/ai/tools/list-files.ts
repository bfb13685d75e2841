import { z } from 'zod';
import { agentTool } from './agent-tool.js';
import { findFiles, searchNotices } from './find-files.js';

const mostFiles = 500;

/** Lists files by a glob. */
export const listFilesTool = agentTool({
  name: 'list_files',
  isReadOnly: true,
  description: `Lists files of the working directory that match a glob, at most ${mostFiles}. .git and node_modules are left out unless they are named.`,
  input: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .default('**/*')
      .describe('A glob such as "src/**/*.ts"; all files by default.'),
    path: z
      .string()
      .min(1)
      .default('.')
      .describe('The directory to look in, relative to the working directory.'),
  }),
  async run({ pattern, path }, context) {
    const found = await findFiles(context, pattern, path);
    const { files } = found;
    const lines = files.slice(0, mostFiles);
    const missing = files.length - lines.length;
    if (missing > 0) lines.push(`[… and ${missing} more; use a narrower pattern]`);
    lines.push(...searchNotices(found));
    return lines.length === 0 ? 'No file matches.' : lines.join('\n');
  },
});
