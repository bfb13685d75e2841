import { Chalk, type ChalkInstance } from 'chalk';
import { printable, printableLines } from '../../diagnostic/printable.js';
import { padColumns, textColumns } from '../../diagnostic/text-columns.js';
import { type MarkdownElement, type MarkdownNode, readMarkdown } from '../../view/conversation/markdown.js';

/** Text in Markdown as lines for a terminal, lightly styled; nothing in it can steer the terminal. */
export function markdownLines(text: string, chalk: ChalkInstance): readonly string[] {
  return blocksOf(readMarkdown(text), chalk, true);
}

/** @param isSpaced true for an empty line between blocks */
function blocksOf(
  nodes: readonly MarkdownNode[],
  chalk: ChalkInstance,
  isSpaced: boolean,
): readonly string[] {
  const lines: string[] = [];
  let words: MarkdownNode[] = [];
  const add = (block: readonly string[]): void => {
    if (isSpaced && lines.length > 0 && block.length > 0) lines.push('');
    lines.push(...block);
  };
  const endWords = (): void => {
    if (words.length > 0) add(inline(words, chalk).split('\n'));
    words = [];
  };
  for (const node of nodes) {
    const block = blockOf(node, chalk);
    if (block === undefined) words.push(node);
    else {
      endWords();
      add(block);
    }
  }
  endWords();
  return lines;
}

/** @returns undefined for a node within a line */
function blockOf(node: MarkdownNode, chalk: ChalkInstance): readonly string[] | undefined {
  if (node.kind === 'rule') return [chalk.dim('─'.repeat(20))];
  if (node.kind === 'block_code')
    return printableLines(node.text)
      .split('\n')
      .map((line) => `    ${chalk.cyan(line)}`);
  if (node.kind !== 'element') return undefined;
  const { tag, children } = node;
  switch (tag) {
    case 'p':
      return inline(children, chalk).split('\n');
    case 'heading':
      return [chalk.bold(inline(children, chalk))];
    case 'blockquote':
      return blocksOf(children, chalk, true).map((line) => `${chalk.dim('│')} ${line}`);
    case 'ul':
    case 'ol':
      return listLines(node, chalk);
    case 'table':
      return tableLines(node, chalk);
    default:
      return undefined;
  }
}

function listLines({ tag, number = 1, children }: MarkdownElement, chalk: ChalkInstance): readonly string[] {
  return children.flatMap((item, index) => {
    if (item.kind !== 'element') return [];
    const mark = tag === 'ol' ? `${number + index}.` : '•';
    const [first = '', ...rest] = blocksOf(item.children, chalk, false);
    return [`${mark} ${first}`, ...rest.map((line) => `${' '.repeat(mark.length + 1)}${line}`)];
  });
}

function tableLines(table: MarkdownElement, chalk: ChalkInstance): readonly string[] {
  const rows = elementsIn(table).flatMap((part) =>
    elementsIn(part).map((row) => elementsIn(row).map((cell) => inline(cell.children, plain))),
  );
  const width = (column: number): number => Math.max(...rows.map((row) => textColumns(row[column] ?? '')));
  return rows.map((row, index) => {
    const line = row.map((cell, column) => padColumns(cell, width(column))).join('  ');
    return index === 0 ? chalk.bold(line.trimEnd()) : line.trimEnd();
  });
}

function elementsIn({ children }: MarkdownElement): readonly MarkdownElement[] {
  return children.filter((node) => node.kind === 'element');
}

/** Cells are measured, so they have no styles. */
const plain = new Chalk({ level: 0 });

function inline(nodes: readonly MarkdownNode[], chalk: ChalkInstance): string {
  return nodes.map((node) => inlineOf(node, chalk)).join('');
}

function inlineOf(node: MarkdownNode, chalk: ChalkInstance): string {
  switch (node.kind) {
    case 'text':
      return printableLines(node.text);
    case 'code':
      return chalk.cyan(printable(node.text));
    case 'block_code':
      return printableLines(node.text);
    case 'break':
      return '\n';
    case 'rule':
      return '';
    case 'element': {
      const words = inline(node.children, chalk);
      if (node.tag === 'strong') return chalk.bold(words);
      if (node.tag === 'em') return chalk.italic(words);
      if (node.tag === 's') return chalk.strikethrough(words);
      if (node.tag !== 'a' || node.href === undefined) return words;
      const address = printable(node.href);
      return words === address ? chalk.underline(words) : `${words} (${chalk.underline(address)})`;
    }
  }
}
