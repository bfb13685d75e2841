import path from 'node:path';
import type { ChalkInstance } from 'chalk';
import { printable } from '../../diagnostic/printable.js';
import { terminalParts } from '../../diagnostic/terminal-text.js';
import { padColumns } from '../../diagnostic/text-columns.js';
import type { RunEvent, ToolCallCompleted } from '../../machine/event.js';
import type { OutputChannel } from '../../machine/progress.js';
import type { StageText } from '../../run/run.js';
import { toolCallText } from '../../view/tool-call-text.js';
import { FileFollower } from './file-follower.js';
import { LineAssembler } from './line-assembler.js';
import { outputNames } from './output-files.js';
import { directoryOfStage, nameOfStage, type WatchedRun } from './run-watch.js';

const lookMs = 200;
/** Pieces of a file that are shown at once, so that other stages have their turn. */
const piecesAtOnce = 16;
/** Lines of a tool's result that are shown: models are given much to read. */
const resultLines = 10;

export interface VerboseOptions {
  readonly chalk: ChalkInstance;
  /** Width of the names before the lines. */
  readonly nameWidth: () => number;
  /** Writes whole lines. */
  readonly print: (text: string) => void;
}

/** An attempt whose words and output are shown. */
interface Source {
  readonly prefix: string;
  readonly words: LineAssembler;
  /** Where the words are from. */
  channel: OutputChannel;
  readonly files: readonly FileFollower[];
}

/** Shows what models say and commands print while they do, each line after the name of its stage. */
export class VerboseOutput {
  readonly #options: VerboseOptions;
  /** Attempts under way, by run and branch. */
  readonly #sources = new Map<string, Source>();
  readonly #looking: NodeJS.Timeout;

  constructor(options: VerboseOptions) {
    this.#options = options;
    this.#looking = setInterval(() => this.#look(), lookMs);
    this.#looking.unref();
  }

  /** Shows what an event brings, and before the end of a stage all that is left of it. */
  onEvent(event: RunEvent, run: WatchedRun): void {
    const { chalk } = this.#options;
    const branch = 'branch' in event ? event.branch : undefined;
    const key = keyOf(event.run_id, branch);
    const source = this.#sources.get(key);
    switch (event.type) {
      case 'StageStarted':
        this.#end(key);
        if (run.program.nodes.get(event.node_id)?.handler.instant !== true)
          this.#sources.set(key, this.#sourceOf(event.node_id, branch, run));
        return;
      case 'RequestRetrying':
        return this.#endWords(source);
      case 'ToolCallStarted':
        this.#endWords(source);
        return this.#show(source, [`${chalk.cyan('▸')} ${toolCallText(event.tool, event.input)}`]);
      case 'ToolCallCompleted':
        return this.#show(source, resultOf(event, chalk));
      case 'StageCompleted':
      case 'StageFailed':
      case 'StageSkipped':
      case 'StageSuspended':
        return this.#end(key);
    }
  }

  /** Shows the whole lines of a model's text, which comes in pieces of any size. */
  onText({ run_id: runId, branch, channel, text }: StageText): void {
    const source = this.#sources.get(keyOf(runId, branch));
    if (source === undefined) return;
    // What a model thinks does not end in the middle of a line that it says.
    if (source.channel !== channel) this.#endWords(source);
    source.channel = channel;
    this.#showWords(source, source.words.add(text));
  }

  stop(): void {
    clearInterval(this.#looking);
    for (const key of this.#sources.keys()) this.#end(key);
  }

  #sourceOf(nodeId: string, branch: string | undefined, run: WatchedRun): Source {
    const { chalk, nameWidth } = this.#options;
    const name = nameOfStage(run, nodeId, branch);
    const directory = directoryOfStage(run, nodeId, branch);
    const files = directory === undefined ? [] : outputNames.map((file) => path.join(directory, file));
    const now = Date.now();
    return {
      prefix: colourOf(name, chalk)(`${padColumns(printable(name), nameWidth())} │`),
      words: new LineAssembler(),
      channel: 'response',
      files: files.map((file) => new FileFollower(file, now)),
    };
  }

  #look(): void {
    for (const source of this.#sources.values()) {
      for (const file of source.files) {
        for (let pieces = 0; pieces < piecesAtOnce; pieces += 1) {
          const lines = file.read();
          if (lines === undefined) break;
          this.#show(source, this.#painted(lines));
        }
      }
    }
  }

  #end(key: string): void {
    const source = this.#sources.get(key);
    this.#sources.delete(key);
    if (source === undefined) return;
    this.#endWords(source);
    for (const file of source.files) this.#show(source, this.#painted(file.readToEnd()));
  }

  #endWords(source: Source | undefined): void {
    if (source !== undefined) this.#showWords(source, source.words.end());
  }

  #showWords(source: Source, lines: readonly string[]): void {
    const paint = source.channel === 'reasoning' ? this.#options.chalk.dim : plain;
    this.#show(
      source,
      lines.map((line) => paint(printable(line))),
    );
  }

  #painted(lines: readonly string[]): readonly string[] {
    return lines.map((line) => paintedLine(line, this.#options.chalk));
  }

  #show(source: Source | undefined, lines: readonly string[] = []): void {
    if (source === undefined || lines.length === 0) return;
    this.#options.print(lines.map((line) => `${source.prefix} ${line}`.trimEnd()).join('\n'));
  }
}

function keyOf(runId: string, branch: string | undefined): string {
  return `${runId} ${branch ?? ''}`;
}

function plain(text: string): string {
  return text;
}

/** Line of a program in its own colours, without anything else that a terminal would obey. */
export function paintedLine(line: string, chalk: ChalkInstance): string {
  return terminalParts(line)
    .map(({ text, colour, isBold }) => {
      const shown = printable(text.replaceAll('\t', '    '));
      const weighted = isBold ? chalk.bold(shown) : shown;
      return colour === undefined ? weighted : chalk[colour](weighted);
    })
    .join('');
}

/** First lines of what a tool has given back to the model. */
function resultOf({ output, success }: ToolCallCompleted, chalk: ChalkInstance): readonly string[] {
  const lines = output.trimEnd().split('\n');
  const more = lines.length - resultLines;
  const paint = success ? chalk.dim : chalk.yellow;
  return [
    ...lines.slice(0, resultLines).map((line) => paint(`  ${printable(line.replace(/\r$/, ''))}`)),
    ...(more > 0 ? [chalk.dim(`  … ${more} more ${more === 1 ? 'line' : 'lines'}`)] : []),
  ];
}

/** Colour by the name, so that a stage keeps its own. */
function colourOf(name: string, chalk: ChalkInstance): (text: string) => string {
  // Those that can be read on light and on dark.
  const colours = [chalk.cyan, chalk.magenta, chalk.green];
  const sum = [...name].reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0);
  return colours[sum % colours.length] ?? plain;
}
