import type { ChalkInstance } from 'chalk';
import { printable } from '../../diagnostic/printable.js';
import { cutColumns, cutColumnsBefore, padColumns, textColumns } from '../../diagnostic/text-columns.js';
import { describeWait } from '../../machine/describe-wait.js';
import { formatDuration } from '../../view/format-duration.js';
import { kindName } from '../output/kind-name.js';
import type { LatestLines } from './output-files.js';
import { durationWidth, narrowTerminal, type ProgressTable } from './progress-table.js';
import type { WatchedStage } from './run-watch.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

export interface LiveRowsOptions {
  readonly chalk: ChalkInstance;
  readonly table: ProgressTable;
  readonly latestLines: LatestLines;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly columns: number;
  /** Rows that there are for all stages. */
  readonly rows: number;
}

/** A line for each stage under way; those that find no room are counted on the last one. */
export function liveRows(stages: readonly WatchedStage[], options: LiveRowsOptions): readonly string[] {
  const { chalk, latestLines, now, rows } = options;
  const isCrowded = stages.length > rows;
  const shown = isCrowded ? peopleFirst(stages).slice(0, rows - 1) : stages;
  latestLines.keep(new Set(shown.flatMap(({ directory }) => directory ?? [])));
  const frame = chalk.cyan(frames[Math.floor(now / frameMs) % frames.length]);
  const layout = layoutOf(shown, options);
  const lines = shown.map((stage) => liveRow(stage, frame, layout, options));
  const hidden = stages.length - shown.length;
  return isCrowded ? [...lines, chalk.dim(cutColumns(`… ${hidden} more running`, layout.width))] : lines;
}

/** Somebody who is asked has to see it. */
function peopleFirst(stages: readonly WatchedStage[]): readonly WatchedStage[] {
  return [...stages].sort((one, other) => Number(other.state === 'asking') - Number(one.state === 'asking'));
}

/** Columns of the region: those of the lines above it, if the terminal has room for them. */
interface Layout {
  /** The last column stays free: in it, terminals begin the next row. */
  readonly width: number;
  readonly id: number;
  /** 0 on a narrow terminal, where there is no room for kinds. */
  readonly kind: number;
}

const widestId = 36;
const narrowestId = 8;
/** Part of a narrow terminal that ids may take. */
const narrowShare = 0.4;

function layoutOf(stages: readonly WatchedStage[], { table, columns }: LiveRowsOptions): Layout {
  const width = columns - 1;
  const isNarrow = columns < narrowTerminal;
  const above = table.widths();
  const widest = Math.max(above.id, ...stages.map(({ name }) => textColumns(printable(name))));
  const room = isNarrow ? Math.max(narrowestId, Math.floor(width * narrowShare)) : widestId;
  return { width, id: Math.min(widest, room), kind: isNarrow ? 0 : above.kind };
}

function liveRow(
  stage: WatchedStage,
  frame: string,
  { width, id, kind }: Layout,
  { chalk, latestLines }: LiveRowsOptions,
): string {
  const { state, elapsedMs, activity, directory } = stage;
  const cells = [
    padColumns(cutName(printable(stage.name), id), id + 1),
    ...(kind === 0 ? [] : [padColumns(cutColumns(printable(kindName(stage.handlerType)), kind), kind)]),
    formatDuration(elapsedMs).padStart(durationWidth),
  ];
  const [name = '', ...rest] = cells;
  const head = cutColumns(` ${name} ${rest.join(' ')}`, width - 1);
  const line =
    state === 'running' && activity === undefined && directory !== undefined ? latestLines.of(directory) : '';
  const doing = printable(
    [stateText(stage), activity?.text ?? line].filter((part) => part !== '').join(' · '),
  );
  const room = width - 1 - textColumns(head) - 2;
  const shown = activity?.kind === 'saying' ? cutColumnsBefore(doing, room) : cutColumns(doing, room);
  const end = doing === '' || room < narrowestDoing ? '' : `  ${shown}`;
  const split = name.length + 2;
  return `${markOf(stage, frame, chalk)}${head.slice(0, split)}${chalk.dim(head.slice(split))}${end}`;
}

/** On less, a word says nothing. */
const narrowestDoing = 4;

/** Name that fits, with the number of its item. */
function cutName(name: string, width: number): string {
  if (textColumns(name) <= width) return name;
  const [, stem = name, items = ''] = /^(.*?)(#[\d.]+)?$/.exec(name) ?? [];
  return `${cutColumns(stem, Math.max(1, width - items.length))}${items}`;
}

function markOf({ state, activity }: WatchedStage, frame: string, chalk: ChalkInstance): string {
  if (activity?.kind === 'waiting') return chalk.yellow('↻');
  switch (state) {
    case 'running':
    case 'branches':
      return frame;
    case 'asking':
      return chalk.cyan('?');
    case 'waiting':
      return chalk.yellow('↻');
    case 'suspended':
      return chalk.yellow('‖');
  }
}

/** What the state of a stage means for people; nothing for the first attempt of one that runs. */
function stateText({ state, attempt, maxAttempts, restMs }: WatchedStage): string {
  const ordinal = `attempt ${attempt}${maxAttempts >= attempt ? ` of ${maxAttempts}` : ''}`;
  switch (state) {
    case 'running':
    case 'branches':
      return attempt > 1 ? ordinal : '';
    case 'asking':
      return 'waiting for an answer';
    case 'waiting':
      return restMs === undefined
        ? ordinal
        : `${ordinal} in ${describeWait(Math.ceil(restMs / 1000) * 1000)}`;
    case 'suspended':
      return 'cannot continue now';
  }
}
