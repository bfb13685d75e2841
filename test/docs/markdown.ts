import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';

export const root = path.join(import.meta.dirname, '../..');

/** A Markdown file of the repository; its name is its path from the root, with slashes. */
export interface Page {
  readonly name: string;
  readonly text: string;
}

export function readPage(name: string): Page {
  return { name, text: readFileSync(path.join(root, name), 'utf8') };
}

/** Every Markdown file that somebody is meant to read. */
export function allPages(): readonly Page[] {
  const below = ['docs/**/*.md', 'editors/*/README.md', 'editors/vscode/walkthrough/*.md'];
  return [...readdirSync(root), ...globSync(below, { cwd: root })]
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map(readPage);
}

/** A fenced block: ```` ```language words… ````. */
export interface Block {
  readonly language: string;
  readonly words: readonly string[];
  /** The value of the word `name=value`. */
  option(name: string): string | undefined;
  /** Without the indentation that a list around the block gives it. */
  readonly text: string;
  readonly indentation: string;
  /** Line numbers of the content, from 0; the fences are around it. */
  readonly firstLine: number;
  readonly endLine: number;
}

const fence = /^(\s*)```(.*)$/;

export function blocksOf(page: Page, language?: string): readonly Block[] {
  const lines = page.text.split('\n');
  const blocks: Block[] = [];
  let open: { readonly indentation: string; readonly info: string; readonly firstLine: number } | undefined;
  lines.forEach((line, index) => {
    const [, indentation, info = ''] = fence.exec(line) ?? [];
    if (indentation === undefined) return;
    if (open === undefined) {
      open = { indentation, info, firstLine: index + 1 };
    } else {
      blocks.push(blockOf(open, lines.slice(open.firstLine, index), index));
      open = undefined;
    }
  });
  if (open !== undefined) throw new Error(`${page.name}:${open.firstLine}: the block is not closed`);
  return blocks.filter((block) => language === undefined || block.language === language);
}

function blockOf(
  open: { readonly indentation: string; readonly info: string; readonly firstLine: number },
  content: readonly string[],
  endLine: number,
): Block {
  const [language = '', ...words] = open.info.trim().split(/\s+/);
  const { indentation, firstLine } = open;
  return {
    language,
    words,
    option: (name) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1),
    text: content.map((line) => `${line.slice(indentation.length)}\n`).join(''),
    indentation,
    firstLine,
    endLine,
  };
}

/** The page without its fenced blocks, line by line; a block leaves empty lines. */
export function proseOf(page: Page): readonly string[] {
  const lines = page.text.split('\n');
  for (const { firstLine, endLine } of blocksOf(page)) lines.fill('', firstLine - 1, endLine + 1);
  return lines;
}

/** The anchors that the headings of a page have on GitHub. */
export function anchorsOf(page: Page): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const line of proseOf(page)) {
    const title = /^#{1,6} (.*)$/.exec(line)?.[1];
    if (title === undefined) continue;
    const slug = title
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The rows of the table whose first column has this head: cells as they are written. */
export function tableOf(page: Page, head: string): readonly (readonly string[])[] {
  const rows = proseOf(page).map((line) => (line.startsWith('|') ? cellsOf(line) : undefined));
  const first = rows.findIndex((row, index) => row?.[0] === head && rows[index - 1] === undefined);
  if (first === -1) throw new Error(`${page.name} has no table with the column "${head}"`);
  const end = rows.findIndex((row, index) => index > first && row === undefined);
  return rows.slice(first + 2, end === -1 ? undefined : end).filter((row) => row !== undefined);
}

function cellsOf(line: string): readonly string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** What stands between backquotes in a cell or a sentence. */
export function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
