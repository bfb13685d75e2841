import { InvalidArgumentError } from 'commander';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { printableJson } from '../../diagnostic/printable.js';
import type { RunEvent } from '../../machine/event.js';
import { UsageError } from '../../setup/usage-error.js';
import { addDatabaseOption, type DatabaseArguments } from '../cluster/database.js';
import { directoryWithFiles, withRun } from '../cluster/with-run.js';
import type { CliCommand } from '../command.js';
import { exitCode, exitCodeOfOverview } from '../exit-code.js';
import { type Io, usesColor } from '../io.js';

interface LogsArguments extends DatabaseArguments {
  readonly follow?: true;
  readonly json?: true;
  readonly node?: string;
  readonly since?: number;
  readonly output?: string;
  readonly attempt?: number;
  readonly conversation?: true;
  readonly visit?: number;
  readonly full?: true;
}

/** `attractor logs RUN`: the journal of a run for people, what a stage has printed, or its conversation (DESIGN §5). */
export const logsCommand: CliCommand<LogsArguments> = {
  name: 'logs',
  summary: 'Show what happened in a run, what one of its stages printed, or its conversation with a model',
  example: 'attractor logs --follow',
  configure: (command) =>
    addDatabaseOption(command)
      .argument('[run]', 'a run id, or a path to a run directory; the newest run by default')
      .argument('[node]', 'only the events of this stage, or its conversation')
      .option('-f, --follow', 'keep printing until the run ends, across pauses and resumes; exit as it did')
      .option('--json', 'print the lines of the journal, with control characters escaped')
      .option('--node <node>', 'only the events of this stage')
      .option('--since <seq>', 'only the events after the one with this number', parseSeq)
      .option('--output <node>', 'print the output files of this stage: stdout.log, stderr.log, response.md')
      .option(
        '--conversation',
        'print the conversations with models and agents: words, tool calls, results, and diffs of edits; with --json their lines',
      )
      .option('--attempt <n>', 'with --output or --conversation: one attempt of the visit', parseOrdinal)
      .option('--visit <n>', 'with --conversation: an earlier visit of the stage', parseOrdinal)
      .option('--full', 'with --conversation: long prompts and results in full'),
  run: ([name, stage], given, io) =>
    withRun(name, given, io, async (run) => {
      const showsFiles = given.conversation === true || given.output !== undefined;
      const directory = showsFiles ? await directoryWithFiles(run, io) : run.directory;
      return showLog(directory, { ...given, node: nodeAmong(stage, given.node) }, io);
    }),
};

async function showLog(directory: string, options: LogsArguments, io: Io): Promise<number> {
  if (options.conversation) return showConversations(directory, options, io);
  if (options.visit !== undefined || options.full)
    throw new UsageError('--visit and --full choose what --conversation prints: add --conversation');
  if (options.output !== undefined) {
    if (options.follow || options.json || options.node !== undefined || options.since !== undefined) {
      throw new UsageError('--output prints files of a stage; it cannot be combined with other options');
    }
    const { printStageOutput } = await import('../progress/stage-output.js');
    return printStageOutput(directory, options.output, options.attempt, io);
  }
  if (options.attempt !== undefined)
    throw new UsageError(
      '--attempt chooses among the attempts that --output and --conversation print: add one of them',
    );
  return options.follow ? followLog(directory, options, io) : printLog(directory, options, io);
}

function parseSeq(text: string): number {
  if (!/^[0-9]+$/.test(text)) throw new InvalidArgumentError('Expected the number of an event.');
  return Number(text);
}

function parseOrdinal(text: string): number {
  if (!/^[1-9][0-9]*$/.test(text)) throw new InvalidArgumentError('Expected a number from 1.');
  return Number(text);
}

/** The stage can be named after the run, or by its option where there is no run before it. */
function nodeAmong(argument: string | undefined, option: string | undefined): string | undefined {
  if (argument === undefined || option === undefined || argument === option) return argument ?? option;
  throw new UsageError(`two stages are named: "${argument}" and --node ${option}; name one of them`);
}

async function showConversations(directory: string, options: LogsArguments, io: Io): Promise<number> {
  const { node, visit, attempt, json = false, full = false } = options;
  if (options.output !== undefined || options.since !== undefined)
    throw new UsageError('--conversation cannot be combined with --output and --since');
  if (visit !== undefined && node === undefined)
    throw new UsageError('--visit chooses among the visits of a stage: name the stage too');
  if (json && attempt !== undefined)
    throw new UsageError('--json prints all lines of a conversation; it cannot be combined with --attempt');
  const choice = { node, visit, attempt, isJson: json, isFull: full };
  const { printConversations, followConversations } = await import('../progress/print-conversations.js');
  if (!options.follow) return printConversations(directory, choice, io);
  return untilOver(directory, io, (stop) => followConversations(directory, choice, io, stop));
}

async function printLog(directory: string, options: LogsArguments, io: Io): Promise<number> {
  const { JournalTail } = await import('../../journal/journal-tail.js');
  const { runFiles } = await import('../../run-directory/run-files.js');
  const printer = await linePrinter(options, io);
  for (const line of new JournalTail(`${directory}/${runFiles.journal}`).read()) printer.print(line);
  return printer.finish();
}

/** Follows the log until the run ends, Ctrl-C is pressed, or the reader is gone. */
async function followLog(directory: string, options: LogsArguments, io: Io): Promise<number> {
  const { followJournal } = await import('../../journal/follow-journal.js');
  const printer = await linePrinter(options, io);
  return untilOver(directory, io, async ({ signal, onIdle }) => {
    for await (const line of followJournal(directory, onIdle, signal)) printer.print(line);
    return signal.aborted ? Number(signal.reason) : printer.finish();
  });
}

/** Stop of a command that follows a run: the reason of the signal is the exit status. */
interface FollowStop {
  readonly signal: AbortSignal;
  onIdle(last: RunEvent['type'] | undefined): void;
}

/** @returns the exit status of the run, if it was followed to its end and everything could be read */
async function untilOver(
  directory: string,
  io: Io,
  follow: (stop: FollowStop) => Promise<number>,
): Promise<number> {
  const stopped = new AbortController();
  const interrupt = (): void => stopped.abort(exitCode.interrupted);
  io.on('SIGINT', interrupt);
  io.stdout.on?.('error', () => stopped.abort(exitCode.ok));
  try {
    const status = await follow({
      signal: stopped.signal,
      onIdle(last) {
        const state = last === 'PipelinePaused' ? 'is paused' : 'is not being executed';
        io.stderr.write(`attractor: the run ${state}; waiting until it is resumed (Ctrl-C to stop)\n`);
      },
    });
    if (stopped.signal.aborted || status !== exitCode.ok) return status;
    const { overviewOf } = await import('../../view/run-overview.js');
    return exitCodeOfOverview(overviewOf(directory, Date.now()).status);
  } finally {
    io.off('SIGINT', interrupt);
  }
}

interface LinePrinter {
  print(line: string): void;
  /**
   * @returns the exit status: integrity, where a line could not be read
   * @throws UsageError where no event was about the stage that was asked for
   */
  finish(): number;
}

async function linePrinter({ json, node, since = 0 }: LogsArguments, io: Io): Promise<LinePrinter> {
  const { Chalk } = await import('chalk');
  const { progressLine: eventLine } = await import('../progress/progress-line.js');
  const { readEvent } = await import('../../journal/follow-journal.js');
  const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
  const nodes = new Set<string>();
  let number = 0;
  let status: number = exitCode.ok;
  return {
    print(line) {
      number += 1;
      const event = readEvent(line);
      if (event === undefined) {
        status = exitCode.integrity;
        io.stderr.write(`attractor: line ${number} of the journal is damaged and was skipped\n`);
        return;
      }
      const about = node === undefined ? undefined : nodeOf(event);
      if (about !== undefined) nodes.add(about);
      if (event.seq <= since || about !== node) return;
      const shown = json ? printableJson(line) : eventLine(event, chalk);
      if (shown !== undefined) io.stdout.write(`${shown}\n`);
    },
    finish() {
      if (node === undefined || nodes.has(node)) return status;
      throw new UsageError(`this run has no events of a stage "${node}"${didYouMean(node, nodes)}`);
    },
  };
}

/** The stage that an event is about. */
function nodeOf(event: RunEvent): string | undefined {
  if ('node_id' in event) return event.node_id;
  if ('stage' in event) return event.stage;
  return 'from' in event && event.type === 'EdgeSelected' ? event.from : undefined;
}
