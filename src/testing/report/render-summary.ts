import type { ChalkInstance } from 'chalk';
import { counted } from '../../diagnostic/counted.js';
import { printable } from '../../diagnostic/printable.js';
import type { DiffLine } from '../check-expectations.js';
import { type CaseResult, type FileResult, isPassed } from '../run-cases.js';

/** Lines of an unchanged part of a diff that are shown on each side of a change. */
const context = 3;

/** Results for a person: every failed case with its differences, and a line that counts. */
export function renderSummary(files: readonly FileResult[], chalk: ChalkInstance): string {
  const lines = files.flatMap((file) => (file.cases.length === 0 ? [] : fileLines(file, chalk)));
  return `${[...lines, ...totalLines(files, chalk)].join('\n')}\n`;
}

function fileLines({ read, cases }: FileResult, chalk: ChalkInstance): readonly string[] {
  return [
    chalk.bold(printable(read.source.name)),
    ...cases.flatMap((one) =>
      caseLines(one, read.source.positionAt.bind(read.source), read.source.name, chalk),
    ),
    '',
  ];
}

function caseLines(
  one: CaseResult,
  positionAt: (offset: number) => { readonly line: number; readonly column: number },
  file: string,
  chalk: ChalkInstance,
): readonly string[] {
  const name = printable(one.name);
  if (isPassed(one)) return [`  ${chalk.green('✔')} ${name}`];
  return [
    `  ${chalk.red('✖')} ${name}`,
    ...one.mismatches.flatMap(({ message, diff = [], span }) => {
      const { line, column } = positionAt(span.start);
      return [
        `    ${printable(message)}  ${chalk.dim(`${printable(file)}:${line}:${column}`)}`,
        ...legend(diff, chalk),
        ...shortened(diff).map((part) => diffLine(part, chalk)),
      ];
    }),
  ];
}

function legend(diff: readonly DiffLine[], { green, red }: ChalkInstance): readonly string[] {
  if (diff.every(({ side }) => side === 'both')) return [];
  return [`      ${red('- expected')}  ${green('+ happened')}`];
}

function diffLine(part: DiffLine | 'gap', { dim, green, red }: ChalkInstance): string {
  if (part === 'gap') return dim('        …');
  const text = printable(part.text);
  switch (part.side) {
    case 'both':
      return `        ${text}`;
    case 'expected':
      return red(`      - ${text}`);
    case 'actual':
      return green(`      + ${text}`);
  }
}

/** A diff without what lies far from its changes. */
function shortened(diff: readonly DiffLine[]): readonly (DiffLine | 'gap')[] {
  if (diff.every(({ side }) => side === 'both')) return diff;
  const changed = diff.flatMap(({ side }, index) => (side === 'both' ? [] : [index]));
  const isNear = (index: number): boolean => changed.some((at) => Math.abs(at - index) <= context);
  return diff.flatMap((line, index): readonly (DiffLine | 'gap')[] => {
    if (isNear(index)) return [line];
    return index === 0 || isNear(index - 1) ? ['gap'] : [];
  });
}

function totalLines(files: readonly FileResult[], chalk: ChalkInstance): readonly string[] {
  const all = files.flatMap(({ cases }) => cases);
  const failed = all.filter((one) => !isPassed(one)).length;
  const unusable = files.filter(({ diagnostics }) => diagnostics.length > 0).length;
  const parts = [
    ...(failed > 0 ? [chalk.red(`${failed} failed`)] : []),
    ...(all.length > failed || (failed === 0 && unusable === 0)
      ? [chalk.green(`${all.length - failed} passed`)]
      : []),
    ...(unusable > 0 ? [chalk.red(`${counted(unusable, 'unusable file')}`)] : []),
  ];
  return [
    `${chalk.bold(counted(all.length, 'case'))} in ${counted(files.length, 'file')}: ${parts.join(', ')}`,
  ];
}
