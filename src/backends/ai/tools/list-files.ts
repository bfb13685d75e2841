import { z } from 'zod';
import { agentTool } from './agent-tool.js';
import { findFiles } from './find-files.js';

const mostFiles = 500;

/** Lists files by a glob. */
export const listFilesTool = agentTool({
  name: 'list_files',
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
  async run({ pattern, path }, place) {
    const files = await findFiles(place, pattern, path);
    if (files.length === 0) return 'No file matches.';
    const shown = files.slice(0, mostFiles).join('\n');
    const missing = files.length - mostFiles;
    return missing > 0 ? `${shown}\n[… and ${missing} more; use a narrower pattern]` : shown;
  },
});
