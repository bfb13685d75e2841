import { localWorkbench } from '../../src/mcp/server/local-workbench.js';
import { tools } from '../../src/mcp/tools/index.js';
import type { ServedRuns } from '../../src/mcp/tools/served-runs.js';
import type { ToolAnswer } from '../../src/mcp/tools/tool.js';
import { attractor } from '../cli/attractor.js';
import { directoryWith } from '../support/directory-with.js';

/** Tools in a directory of their own, which call the command line in this process. */
export interface ToolBench {
  readonly directory: string;
  /** @throws what the tool throws */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

/** Runs of a bench that runs nothing. */
const noRuns: ServedRuns = {
  directory: unexpected,
  newest: unexpected,
  submit: unexpected,
  resume: unexpected,
  cancel: unexpected,
  askPeople: unexpected,
  isAsking: unexpected,
};

function unexpected(): never {
  throw new Error('this test runs nothing');
}

/** @param runs what tools see of runs */
export function toolBench(files: Readonly<Record<string, string>> = {}, runs = noRuns): ToolBench {
  const directory = directoryWith(files);
  const workbench = localWorkbench({
    environment: { cwd: () => directory, env: {} },
    extensions: { config: false },
    attractor: (args, _, input) => attractor(args, { cwd: directory, input }),
    runs,
  });
  return {
    directory,
    call(name, args = {}) {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`there is no tool ${name}`);
      return tool.call(args, workbench, { signal: new AbortController().signal, progress: () => undefined });
    },
  };
}
