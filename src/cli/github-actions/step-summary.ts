import { appendFileSync } from 'node:fs';
import { counted } from '../../diagnostic/counted.js';
import type { Program } from '../../graph/program.js';
import { describeUsd } from '../../machine/usage.js';
import { headOf } from '../../view/cut-text.js';
import type { VisitRecord } from '../../view/fold/visit-record.js';
import { formatDuration } from '../../view/format-duration.js';
import type { RunResult } from '../../view/run-result.js';
import { visitDirectory } from '../../view/visit-directory.js';

/** Stages that are listed: the latest. */
export const rowsListed = 200;
const reasonKept = 2000;

export interface SummarySource {
  readonly name: string;
  readonly result: RunResult;
  readonly program: Program;
  readonly visits: readonly VisitRecord[];
  /** Number of earlier visits. */
  readonly omitted: number;
  /** Run directory as people see it. */
  readonly directory: string;
  /** Address of a node in the repository; undefined if there is none. */
  readonly linkOf: (nodeId: string) => string | undefined;
}

/** Appends to the summary of a step. @returns the problem, if that was not possible */
export function appendSummary(file: string, markdown: string): string | undefined {
  try {
    appendFileSync(file, markdown);
    return undefined;
  } catch (error) {
    return `the step summary was not written: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const marks: Readonly<Record<string, string>> = {
  success: '✔ success',
  partial_success: '◐ partial success',
  fail: '✖ failed',
  retry: '✖ failed',
  skipped: '○ skipped',
  cut_off: '○ cut off',
  suspended: '‖ waits',
  asking: '‖ waits for an answer',
  waiting: '‖ waits for its next attempt',
  running: '‖ interrupted',
  branches: '‖ interrupted',
  paused: '‖ paused',
  cancelled: '■ cancelled',
};

/** Summary of a run for the page of a job, in Markdown: how it ended, and a table of its stages. */
export function stepSummary(source: SummarySource): string {
  const { name, result, visits, omitted, directory } = source;
  const shown = visits.filter(({ nodeId }) => source.program.nodes.get(nodeId)?.handler.instant !== true);
  const cost = result.usage.cost_usd;
  const facts = [
    counted(result.steps, 'stage'),
    formatDuration(result.duration_ms),
    ...(cost === undefined ? [] : [describeUsd(cost)]),
  ];
  const reason = result.failure_reason ?? result.paused_reason;
  const quality = result.quality === 'degraded' ? ', degraded' : '';
  return [
    `### ${escaped(name)}: ${marks[result.status]}${quality}`,
    '',
    `${facts.join(' · ')} · run directory ${code(directory)}`,
    '',
    ...(reason === undefined ? [] : [quoted(headOf(reason, reasonKept)), '']),
    '| stage | outcome | duration | cost | files |',
    '|---|---|--:|--:|---|',
    ...shown.map((visit) => row(visit, source)),
    '',
    ...(omitted > 0 ? [`${counted(omitted, 'earlier visit')} not listed.`, ''] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function row(visit: VisitRecord, { directory, linkOf }: SummarySource): string {
  const { nodeId, visit: ordinal, branch, startedAt, endedAt, usage, attempts } = visit;
  const link = linkOf(nodeId);
  const node = link === undefined ? escaped(nodeId) : `[${escaped(nodeId)}](${link})`;
  const where = [
    ...(branch === undefined || branch === nodeId ? [] : [`in ${escaped(branch)}`]),
    ...(ordinal > 1 ? [`visit ${ordinal}`] : []),
  ].join(', ');
  const tries = attempts.at(-1)?.attempt ?? 1;
  const outcome = `${marks[visit.status] ?? escaped(visit.status)}${visit.simulated ? ', simulated' : ''}`;
  const cells = [
    where === '' ? node : `${node} (${where})`,
    tries > 1 ? `${outcome}, attempt ${tries}` : outcome,
    endedAt === undefined ? '' : formatDuration(endedAt - startedAt),
    usage?.cost_usd === undefined ? '' : describeUsd(usage.cost_usd),
    code(`${directory}/${visitDirectory(visit)}`),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Text as plain text, whatever Markdown or HTML it looks like. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\p{L}\p{N} _,;=/–—]/gu, (character) => `&#${character.codePointAt(0) ?? 0xfffd};`)
    .replaceAll('_', '&#95;');
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

/** Lines as they are, in a box. */
function quoted(text: string): string {
  return `<pre>${text
    .split(/\r\n|\r|\n/)
    .map(escaped)
    .join('&#10;')}</pre>`;
}
