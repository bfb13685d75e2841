import type { ChalkInstance } from 'chalk';
import { counted } from '../../diagnostic/counted.js';
import { printable, printableLines } from '../../diagnostic/printable.js';
import { stripStyles } from '../../diagnostic/terminal-text.js';
import type { FileEdit } from '../../machine/progress.js';
import type {
  CallPart,
  ConversationStep,
  TurnPart,
  TurnStep,
} from '../../view/conversation/conversation-steps.js';
import {
  attemptWords,
  callEnd,
  compactionWords,
  outcomeWords,
  personName,
  requestTitle,
  retryWords,
  turnUsageWords,
} from '../../view/conversation/conversation-words.js';
import { shownEdit } from '../../view/conversation/file-edits.js';
import { formatDuration } from '../../view/format-duration.js';
import { toolCallText } from '../../view/tool-call-text.js';
import { formatTime } from '../output/format-time.js';
import { markdownLines } from './markdown-lines.js';

export interface ConversationTextOptions {
  readonly chalk: ChalkInstance;
  /** True to show texts in full. */
  readonly isFull: boolean;
}

const promptLines = 12;
const resultLines = 8;
const editLines = 40;
const longestLine = 400;

/** Step of a conversation as lines for a terminal; those of a turn are `turnHead` and `partLines`. */
export function stepLines(
  step: Exclude<ConversationStep, TurnStep>,
  options: ConversationTextOptions,
): readonly string[] {
  const { chalk } = options;
  switch (step.kind) {
    case 'attempt':
      return ['', chalk.bold(printable(`── ${attemptWords(step)} ── ${formatTime(step.at)}`))];
    case 'request': {
      return [
        '',
        chalk.magenta(`${requestTitle(step)}:`),
        ...cut(plainLines(step.text), promptLines, options),
      ];
    }
    case 'person': {
      const question =
        step.question === undefined ? [] : plainLines(step.question).map((line) => chalk.dim(line));
      return ['', chalk.yellow(printable(`${personName(step)}:`)), ...question, ...plainLines(step.text)];
    }
    case 'answer': {
      const words = outcomeWords(step.outcome);
      return words === '' ? [] : ['', `${chalk.bold('outcome:')} ${printableLines(words)}`];
    }
    case 'compacted': {
      return [
        '',
        chalk.yellow(`${compactionWords(step)}:`),
        ...cut(plainLines(step.summary), promptLines, options),
      ];
    }
    case 'retried':
      return ['', chalk.yellow(printableLines(retryWords(step)))];
  }
}

/** Header of a turn, with its tokens if they are known by now. */
export function turnHead(
  { number, used, at }: TurnStep,
  { chalk }: ConversationTextOptions,
): readonly string[] {
  const usage = used === undefined ? '' : turnUsageWords(used);
  const words = [`turn ${number}`, formatTime(at), usage].filter((part) => part !== '').join(' · ');
  return ['', chalk.blue(words)];
}

export function partLines(part: TurnPart, options: ConversationTextOptions): readonly string[] {
  const { chalk } = options;
  if (part.kind === 'call') return callLines(part, options);
  if (part.channel === 'response') return markdownLines(part.text.trim(), chalk);
  return cut(plainLines(part.text.trim()), resultLines, options).map((line) => chalk.dim.italic(line));
}

function callLines(
  { tool, title, input, edits, result }: CallPart,
  options: ConversationTextOptions,
): string[] {
  const { chalk } = options;
  const isBad = result?.success === false;
  const end = ` ${callEnd(result)}`;
  const took = result === undefined ? '' : chalk.dim(` ${formatDuration(result.duration)}`);
  const call = chalk.bold(`→ ${toolCallText(tool, input, title)}`);
  const head = `${call}${isBad ? chalk.red(end) : chalk.dim(end)}${took}`;
  const output = result === undefined || result.output === '' ? [] : plainLines(stripStyles(result.output));
  // An edit says more than what its tool says of it.
  const isEdit = edits.length > 0 && !isBad;
  const shown = isEdit ? [] : cut(output, resultLines, options).map((line) => chalk.dim(line));
  return [head, ...edits.flatMap((edit) => diffLines(edit, options)), ...shown].map((line, index) =>
    index === 0 ? line : `  ${line}`,
  );
}

function diffLines(edit: FileEdit, options: ConversationTextOptions): readonly string[] {
  const { chalk } = options;
  const { path, added, removed, lines, more } = shownEdit(edit);
  const body = lines.map(({ sign, text }) => {
    const line = printable(text.replaceAll('\t', '  ').slice(0, longestLine));
    if (sign === '+') return chalk.green(`+${line}`);
    if (sign === '-') return chalk.red(`-${line}`);
    return chalk.dim(sign === 'gap' ? '…' : ` ${line}`);
  });
  const rest = more > 0 ? [chalk.dim(`… and ${counted(more, 'more line')}`)] : [];
  return [
    `${printable(path)} ${chalk.green(`+${added}`)} ${chalk.red(`-${removed}`)}`,
    ...cut(body, editLines, options),
    ...rest,
  ];
}

function plainLines(text: string): string[] {
  return printableLines(text).replace(/\n$/, '').split('\n');
}

/** The first lines, with a note about the rest. */
function cut(lines: readonly string[], count: number, { isFull, chalk }: ConversationTextOptions): string[] {
  if (isFull) return [...lines];
  const head = lines
    .slice(0, count)
    .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line));
  const more = lines.length - head.length;
  return more > 0 ? [...head, chalk.dim(`… ${counted(more, 'more line')} (--full shows all)`)] : head;
}
