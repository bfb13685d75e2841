import { stat } from 'node:fs/promises';
import path from 'node:path';
import { RE2JS, RE2JSException } from 're2js';
import { z } from 'zod';
import { agentTool, type ToolContext, ToolProblem } from './agent-tool.js';
import { readablePath, shownPath } from './confined-path.js';
import { type FoundFiles, findFiles, searchNotices } from './find-files.js';
import { readTextInPieces } from './text-file.js';

const mostMatches = 200;
const longestLine = 300;
const longestFile = 5 * 1024 * 1024;

/** Searches files for a regular expression in linear time, so that no pattern takes for ever. */
export const grepTool = agentTool({
  name: 'grep',
  isReadOnly: true,
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
  async run({ pattern, path: requested, glob, ignore_case: ignoreCase }, context) {
    const expression = compile(pattern, ignoreCase);
    const lines: string[] = [];
    const found = await filesOf(context, requested, glob);
    const search = new Search(context, expression, lines);
    const longest = found.isNamed ? Number.POSITIVE_INFINITY : longestFile;
    for (const file of found.files) {
      context.signal.throwIfAborted();
      if (!(await search.file(file, longest))) {
        lines.push(`[… only the first ${mostMatches} matches; use a narrower pattern, path or glob]`);
        break;
      }
    }
    if (search.tooLarge.length > 0) lines.push(notSearched(search.tooLarge));
    lines.push(...searchNotices(found));
    return lines.length === 0 ? 'No line matches.' : lines.join('\n');
  },
});

const filesShown = 5;

function notSearched(files: readonly string[]): string {
  const named = files.slice(0, filesShown).join(', ');
  const more = files.length > filesShown ? ` and ${files.length - filesShown} more` : '';
  return `[… files above ${longestFile} bytes are only searched if "path" names them: ${named}${more}]`;
}

function compile(pattern: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (error instanceof RE2JSException)
      throw new ToolProblem(`not a valid RE2 regular expression: ${error.message}`);
    throw error;
  }
}

interface FilesToSearch extends FoundFiles {
  /** True for a single file that the model named. */
  readonly isNamed: boolean;
}

async function filesOf(context: ToolContext, requested: string, glob: string): Promise<FilesToSearch> {
  const real = await readablePath(context, requested);
  const stats = await stat(real).catch(() => undefined);
  if (stats === undefined) throw new ToolProblem(`"${requested}" does not exist`);
  if (stats.isDirectory()) return { ...(await findFiles(context, glob, requested)), isNamed: false };
  return { files: [shownPath(context, real)], undecodable: [], isComplete: true, isNamed: true };
}

class Search {
  /** Files that were not searched because of their size. */
  readonly tooLarge: string[] = [];
  readonly #context: ToolContext;
  readonly #expression: RE2JS;
  readonly #found: string[];

  constructor(context: ToolContext, expression: RE2JS, found: string[]) {
    this.#context = context;
    this.#expression = expression;
    this.#found = found;
  }

  /**
   * Adds the matches of a file; one that is gone, unreadable, binary, or a link that leads out is skipped.
   * @returns true if there is room for more
   */
  async file(file: string, longest: number): Promise<boolean> {
    try {
      const real = await readablePath(this.#context, path.join(this.#context.root, file));
      const stats = await stat(real);
      if (!stats.isFile()) return true;
      if (stats.size <= longest) return await this.#lines(file, readTextInPieces(real, file));
      this.tooLarge.push(file);
    } catch (error) {
      const isSkipped = error instanceof ToolProblem || (error as NodeJS.ErrnoException).code !== undefined;
      if (!isSkipped) throw error;
    }
    return true;
  }

  async #lines(file: string, pieces: AsyncIterable<string>): Promise<boolean> {
    let rest = '';
    let number = 0;
    for await (const piece of pieces) {
      this.#context.signal.throwIfAborted();
      // A long line would be copied with each piece.
      if (!piece.includes('\n')) {
        rest += piece;
        continue;
      }
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        number += 1;
        if (!this.#line(`${file}:${number}`, line)) return false;
      }
    }
    return rest === '' || this.#line(`${file}:${number + 1}`, rest);
  }

  #line(where: string, whole: string): boolean {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    if (!this.#expression.matcher(line).find()) return true;
    if (this.#found.length === mostMatches) return false;
    const clean = this.#context.redactor.text(line);
    this.#found.push(`${where}: ${clean.length > longestLine ? `${clean.slice(0, longestLine)}…` : clean}`);
    return true;
  }
}
