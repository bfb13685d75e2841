import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { RE2JS, RE2JSException } from 're2js';
import { z } from 'zod';
import { agentTool, type ToolContext, ToolProblem } from './agent-tool.js';
import { confinedPath, shownPath } from './confined-path.js';
import { type FoundFiles, findFiles, searchNotices } from './find-files.js';
import { isBinary } from './text-file.js';

const mostMatches = 200;
const longestLine = 300;
const longestFile = 5 * 1024 * 1024;

/** Searches files for a regular expression in linear time, so that no pattern takes for ever. */
export const grepTool = agentTool({
  name: 'grep',
  description: `Searches files of the working directory for lines that match a regular expression (RE2 syntax: no look-around, no back-references). Prints "path:line: text", at most ${mostMatches}.`,
  input: z.strictObject({
    pattern: z.string().min(1).describe('The regular expression.'),
    path: z
      .string()
      .min(1)
      .default('.')
      .describe('A file or a directory, relative to the working directory.'),
    glob: z
      .string()
      .min(1)
      .default('**/*')
      .describe('Pattern of the files to search in a directory, such as "**/*.ts".'),
    ignore_case: z.boolean().default(false),
  }),
  async run({ pattern, path: asked, glob, ignore_case: ignoreCase }, place) {
    const expression = compile(pattern, ignoreCase);
    const lines: string[] = [];
    const found = await filesOf(place, asked, glob);
    for (const file of found.files) {
      place.signal.throwIfAborted();
      if (!(await search(place, file, expression, lines))) {
        lines.push(`[… only the first ${mostMatches} matches; use a narrower pattern, path or glob]`);
        break;
      }
    }
    lines.push(...searchNotices(found));
    return lines.length === 0 ? 'No line matches.' : lines.join('\n');
  },
});

function compile(pattern: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (error instanceof RE2JSException)
      throw new ToolProblem(`not a valid RE2 regular expression: ${error.message}`);
    throw error;
  }
}

async function filesOf(place: ToolContext, asked: string, glob: string): Promise<FoundFiles> {
  const real = await confinedPath(place, asked);
  const stats = await stat(real).catch(() => undefined);
  if (stats === undefined) throw new ToolProblem(`"${asked}" does not exist`);
  return stats.isDirectory()
    ? findFiles(place, glob, asked)
    : { files: [shownPath(place, real)], undecodable: [], isComplete: true };
}

/**
 * Adds the matches of a file.
 * @returns true if there is room for more
 */
async function search(
  place: ToolContext,
  file: string,
  expression: RE2JS,
  lines: string[],
): Promise<boolean> {
  const bytes = await textBytes(place, file);
  if (bytes === undefined) return true;
  for (const [index, line] of bytes.toString('utf8').split(/\r?\n/).entries()) {
    if (!expression.matcher(line).find()) continue;
    if (lines.length === mostMatches) return false;
    const clean = place.redactor.text(line);
    const shown = clean.length > longestLine ? `${clean.slice(0, longestLine)}…` : clean;
    lines.push(`${file}:${index + 1}: ${shown}`);
  }
  return true;
}

/** Content of a text file; undefined if it is binary, too large, or a link that leads out. */
async function textBytes(place: ToolContext, file: string): Promise<Buffer | undefined> {
  try {
    const real = await confinedPath(place, path.join(place.root, file));
    const stats = await stat(real);
    if (!stats.isFile() || stats.size > longestFile) return undefined;
    const bytes = await readFile(real);
    return isBinary(bytes) ? undefined : bytes;
  } catch (error) {
    // A file that is gone, unreadable or outside is skipped.
    if (error instanceof ToolProblem || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
}
