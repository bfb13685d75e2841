import { printableLines } from '../../diagnostic/printable.js';
import type { WordChange } from '../../diff/compare-pipelines.js';
import type { DifferenceDetail, DifferenceEntry, DifferenceSection } from './difference-sections.js';
import { shortened } from './render-difference.js';
import { scriptJson } from './script-json.js';

const marks: Readonly<Record<DifferenceEntry['mark'], string>> = { '+': '➕', '-': '➖', '~': '✏️' };

/** A difference as Markdown for a pull request: scripts are folded. */
export function renderMarkdown(title: string, sections: readonly DifferenceSection[]): string {
  const lines = [
    `### ${escaped(title)}`,
    '',
    ...(sections.length === 0 ? ['No difference in meaning.'] : []),
    ...sections.flatMap(({ title: name, entries }) => [
      `**${name[0]?.toUpperCase()}${name.slice(1)}**`,
      '',
      ...entries.flatMap(entryLines),
      '',
    ]),
  ];
  return printableLines(`${lines.join('\n').trimEnd()}\n`);
}

function entryLines({ mark, name, details, behaviour }: DifferenceEntry): readonly string[] {
  const [first, ...rest] = details;
  const isAlone = first !== undefined && first.name === '' && rest.length === 0;
  const head = `- ${marks[mark]} ${escaped(name)}${isAlone ? `: ${detailText(first)}` : ''}`;
  const below = isAlone ? [] : details.map((one) => `  - ${escaped(one.name)}: ${detailText(one)}`);
  if (behaviour === undefined) return [head, ...below];
  const script = JSON.stringify(scriptJson(behaviour.script), undefined, 2).split('\n');
  return [
    head,
    ...below,
    '  <details><summary>script of a run</summary>',
    '',
    '  ```json',
    ...script.map((line) => `  ${line}`),
    '  ```',
    '',
    '  </details>',
  ];
}

function detailText({ before, after, words }: DifferenceDetail): string {
  if (words !== undefined) return shortened(words).map(wordText).join('');
  const [old, now] = [before, after].map((text) => (text === undefined ? undefined : escaped(text)));
  if (old === undefined) return `**${now}**`;
  return now === undefined ? `~~${old}~~` : `~~${old}~~ → **${now}**`;
}

/** Marks must touch the words, or Markdown does not see them. */
function wordText({ kind, text }: WordChange): string {
  const [, start = '', words = '', end = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  const inner = escaped(words);
  const space = (blank: string): string => (blank === '' ? '' : ' ');
  if (inner === '') return space(start + end);
  const marked = kind === 'same' ? inner : kind === 'added' ? `**${inner}**` : `~~${inner}~~`;
  return `${space(start)}${marked}${space(end)}`;
}

/** Text of an author, in one line, so that it is neither markup nor HTML. */
function escaped(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>()#+!|~$@-]/g, (sign) =>
      sign === '<' ? '&lt;' : sign === '@' ? '&#64;' : `\\${sign}`,
    );
}
