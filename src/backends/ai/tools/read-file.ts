import { z } from 'zod';
import { agentTool, ToolProblem } from './agent-tool.js';
import { confinedPath } from './confined-path.js';
import { readText } from './text-file.js';

const mostLines = 2000;
const mostCharacters = 100_000;

/** Reads a text file, or a part of it. */
export const readFileTool = agentTool({
  name: 'read_file',
  description: `Reads a text file of the working directory. Without a limit, at most ${mostLines} lines; a note at the end says where to read on.`,
  input: z.strictObject({
    path: z.string().min(1).describe('Relative to the working directory.'),
    offset: z.int().min(1).optional().describe('The first line to read, from 1.'),
    limit: z.int().min(1).optional().describe('Number of lines to read.'),
  }),
  async run({ path, offset = 1, limit = mostLines }, place) {
    const text = place.redactor.text(await readText(await confinedPath(place, path), path));
    const lines = text.split(/(?<=\n)/);
    if (offset > 1 && offset > lines.length) {
      throw new ToolProblem(`"${path}" has only ${lines.length} lines`);
    }
    const wanted = lines.slice(offset - 1, offset - 1 + limit);
    const { count, text: part } = fitting(wanted);
    const last = offset - 1 + count;
    if (offset === 1 && last >= lines.length && part.length === text.length) return text;
    const more = last < lines.length ? `; read on with offset ${last + 1}` : '';
    const cut = count < wanted.length || last < lines.length ? more : '';
    return `${part}${part.endsWith('\n') ? '' : '\n'}[lines ${offset} to ${last} of ${lines.length}${cut}]`;
  },
});

/** Whole lines at the beginning that fit the limit for a model; of a single longer line, its beginning. */
function fitting(lines: readonly string[]): { readonly count: number; readonly text: string } {
  let text = '';
  let count = 0;
  for (const line of lines) {
    if (text.length + line.length > mostCharacters) break;
    text += line;
    count += 1;
  }
  if (count > 0 || lines.length === 0) return { count, text };
  const [first = ''] = lines;
  return {
    count: 1,
    text: `${first.slice(0, mostCharacters)}\n[this line has ${first.length} characters; its end is left out]`,
  };
}
