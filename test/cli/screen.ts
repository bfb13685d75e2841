import {
  createProgress,
  type MovingLine,
  type Progress,
  type Spinner,
} from '../../src/cli/progress/progress.js';
import { compile } from '../../src/compiler/compile.js';
import { describedHandlerType } from '../../src/graph/known-handler-types.js';
import type { Program } from '../../src/graph/program.js';
import type { Interviewer } from '../../src/run/questions/interviewer.js';
import { type PipelineRun, runOnDisk, type Setup } from '../run/harness.js';

export interface Shown extends PipelineRun {
  /** What progress has printed, a line each. */
  readonly lines: readonly string[];
  /** What moved at the end of the last line, each time that it changed; undefined where nothing did. */
  readonly moving: readonly (string | undefined)[];
}

export interface ScreenOptions extends Setup {
  /** How wide the terminal is; without one, the output is not a terminal. */
  readonly columns?: number;
  readonly interviewer?: Interviewer;
}

/** Runs a pipeline as the command line does, and gives what is on the screen then. */
export async function show(dot: string, { columns, ...setup }: ScreenOptions = {}): Promise<Shown> {
  let text = '';
  const moving: (string | undefined)[] = [];
  const spinner: Spinner = {
    start: ({ text: label, rest }: MovingLine) => void moving.push(`${label}${rest}`),
    clear: () => void moving.push(undefined),
  };
  const stream = {
    isTTY: columns !== undefined,
    columns,
    write: (part: string) => {
      text += part;
    },
  };
  const options = { color: false };
  const progress: Progress = createProgress(programOf(dot, setup), stream, options, spinner);
  const run = await runOnDisk(dot, {
    ...setup,
    onEvent: (event) => progress.onEvent(event),
    onChildEvent: (event, origin) => progress.onChildEvent(event, origin),
  });
  progress.finish(run.result, { directory: 'r', run: 'r' });
  return { ...run, lines: text.split('\n'), moving };
}

function programOf(dot: string, { handlers = {} }: Setup): Program {
  const handlerTypes = Object.keys(handlers).map((type) => describedHandlerType(type, {}));
  const { program, diagnostics } = compile(dot, { handlerTypes });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return program;
}
