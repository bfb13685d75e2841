import type { ChalkInstance } from 'chalk';
import { printable } from '../../diagnostic/printable.js';
import type { WordChange } from '../../diff/compare-pipelines.js';
import type { DifferenceDetail, DifferenceEntry, DifferenceSection } from './difference-sections.js';

/** Words around a change that are shown. */
const wordsAround = 5;

/** A difference for a terminal. @param played command that plays a change of behaviour, if its script was written */
export function renderDifference(
  sections: readonly DifferenceSection[],
  played: (entry: DifferenceEntry) => string | undefined,
  chalk: ChalkInstance,
): string {
  const lines = sections.flatMap(({ title, entries }) => [
    chalk.bold(title),
    ...entries.flatMap((entry) => entryLines(entry, played(entry), chalk)),
  ]);
  return `${lines.join('\n')}\n`;
}

function entryLines(
  { mark, name, details }: DifferenceEntry,
  command: string | undefined,
  chalk: ChalkInstance,
): readonly string[] {
  const paint = { '+': chalk.green, '-': chalk.red, '~': chalk.yellow }[mark];
  const [first, ...rest] = details;
  const isAlone = first !== undefined && first.name === '' && rest.length === 0;
  const head = `  ${paint(mark)} ${printable(name)}${isAlone ? `: ${detailText(first, chalk)}` : ''}`;
  const below = isAlone
    ? []
    : details.map((one) => `      ${printable(one.name)}: ${detailText(one, chalk)}`);
  return [head, ...below, ...(command === undefined ? [] : [chalk.dim(`      play: ${printable(command)}`)])];
}

function detailText({ before, after, words }: DifferenceDetail, chalk: ChalkInstance): string {
  if (words !== undefined)
    return shortened(words)
      .map((change) => wordText(change, chalk))
      .join('');
  if (before === undefined) return chalk.green(shownValue(after));
  if (after === undefined) return `${chalk.red(shownValue(before))} removed`;
  return `${chalk.red(shownValue(before))} → ${chalk.green(shownValue(after))}`;
}

function shownValue(value = ''): string {
  return printable(value.replaceAll(/\s*\n\s*/g, ' '));
}

function wordText({ kind, text }: WordChange, chalk: ChalkInstance): string {
  const shown = shownValue(text);
  if (kind === 'same') return shown;
  // Without colours, the marks of `git diff --word-diff`.
  const isPlain = chalk.level === 0;
  if (kind === 'added') return isPlain ? `{+${shown}+}` : chalk.green(shown);
  return isPlain ? `[-${shown}-]` : chalk.red.strikethrough(shown);
}

/** Changes of words with a few words around each. */
export function shortened(words: readonly WordChange[]): readonly WordChange[] {
  return words.map((change, place): WordChange => {
    if (change.kind !== 'same') return change;
    const parts = change.text.split(/(?<=\s)(?=\S)/);
    const [isFirst, isLast] = [place === 0, place === words.length - 1];
    const kept = (isFirst ? 0 : wordsAround) + (isLast ? 0 : wordsAround);
    if (parts.length <= kept + 1) return change;
    const head = isFirst ? '' : parts.slice(0, wordsAround).join('');
    const tail = isLast ? '' : parts.slice(-wordsAround).join('');
    return { kind: 'same', text: `${head}… ${tail}` };
  });
}
