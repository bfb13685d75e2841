import { createProgress, type ProgressOptions } from '../../src/cli/progress/progress.js';
import { compile } from '../../src/compiler/compile.js';
import { describedHandlerType } from '../../src/graph/known-handler-types.js';
import type { Program } from '../../src/graph/program.js';
import type { Interviewer } from '../../src/run/questions/interviewer.js';
import { type PipelineRun, runOnDisk, type Setup } from '../run/harness.js';

export interface Shown extends PipelineRun {
  /** What progress has printed, a line each. */
  readonly lines: readonly string[];
  /** The stages under way as they were after each event that changed them, without their durations. */
  readonly live: readonly (readonly string[])[];
}

export interface ScreenOptions extends Setup {
  /** How wide the terminal is; without one, the output is not a terminal. */
  readonly columns?: number;
  /** Rows for the stages under way. */
  readonly rows?: number;
  readonly interviewer?: Interviewer;
  readonly progress?: Partial<ProgressOptions>;
}

/** Runs a pipeline as the command line does, and gives what is on the screen then. */
export async function show(dot: string, options: ScreenOptions = {}): Promise<Shown> {
  const { columns, rows = 10, progress: given, ...setup } = options;
  let text = '';
  const live: (readonly string[])[] = [];
  const stream = {
    isTTY: columns !== undefined,
    columns,
    write: (part: string) => {
      text += part;
    },
  };
  const progress = createProgress(programOf(dot, setup), stream, {
    color: false,
    isLive: true,
    directoryOf: () => setup.runDirectory,
    ...given,
  });
  const look = (): void => {
    const now = progress.liveLines({ columns: columns ?? 80, rows }).map(withoutTime);
    if (now.join('\n') !== live.at(-1)?.join('\n')) live.push(now);
  };
  const run = await runOnDisk(dot, {
    ...setup,
    onEvent: (event) => {
      progress.onEvent(event);
      look();
    },
    onText: (said) => {
      progress.onText(said);
      look();
    },
    onChildEvent: (event, origin) => {
      progress.onChildEvent(event, origin);
      look();
    },
  });
  progress.finish(run.result, { directory: 'r', run: 'r' });
  look();
  return { ...run, lines: text.split('\n'), live };
}

/** Durations depend on the machine, and the mark at the beginning on the time. */
function withoutTime(line: string): string {
  return line.replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u, '•').replace(/ +[\d.]+(?:ms|s|m \d\ds|h \d\dm)(?= |$)/, ' …');
}

function programOf(dot: string, { handlers = {} }: Setup): Program {
  const handlerTypes = Object.keys(handlers).map((type) => describedHandlerType(type, {}));
  const { program, diagnostics } = compile(dot, { handlerTypes });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return program;
}
