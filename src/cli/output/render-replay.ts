import { printableLines } from '../../diagnostic/printable.js';
import type { RunEvent } from '../../machine/event.js';
import type { ReplayVerdict } from '../../run/recording/verify-replay.js';

/** Result of a replay, for people. */
export function renderReplay(verdict: ReplayVerdict, runId: string): string {
  const { identical, status, difference, failure_reason: reason, run_dir: kept } = verdict;
  const where = kept === undefined ? [] : [`the replay is kept in ${kept}`];
  if (identical)
    return lines([`identical: the replay of ${runId} has the same journal (${status})`, ...where]);
  return lines([
    `the replay of ${runId} has another journal (${status})`,
    ...(reason === undefined ? [] : ['', ...reason.split('\n').map((line) => `  ${line}`)]),
    ...(difference === undefined ? [] : ['', ...describe(difference)]),
    ...(where.length === 0 ? [] : ['', ...where]),
  ]);
}

function describe({
  child,
  recorded,
  now,
  diff,
}: NonNullable<ReplayVerdict['difference']>): readonly string[] {
  return [
    `first difference${child === undefined ? '' : ` in ${child}`}:`,
    `  recorded: ${eventText(recorded)}`,
    `  now:      ${eventText(now)}`,
    ...diff.split('\n').map((line) => `    ${line}`),
  ];
}

function eventText(event: RunEvent | undefined): string {
  return event === undefined ? 'nothing' : `event ${event.seq}, ${event.description}`;
}

function lines(texts: readonly string[]): string {
  return `${texts.map(printableLines).join('\n')}\n`;
}
