import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type LongestRun, longestRun } from '../../check/bound/reached.js';
import { type Compilation, compile } from '../../compiler/compile.js';
import { childFile } from '../../graph/child-file.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import { childHome, readChildText } from '../../run/children/child-file.js';
import { usualBudgetUsd } from '../../run/default-budget.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import { locateFile } from '../../setup/locate-file.js';
import { UsageError } from '../../setup/usage-error.js';
import { type Io, usesColor } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';
import { boundCost, type CostBound } from './bound-cost.js';
import { modelWorkOf } from './model-work.js';
import { renderBound } from './render-bound.js';

/** Options of `cost --bound`. */
export interface BoundArguments {
  readonly json?: true;
  readonly script?: string;
  readonly maxItems?: number;
}

export interface BoundedFile {
  /** As the call names it; `-` for standard input. */
  readonly file: string;
  readonly compilation: Compilation & { readonly program: Program };
  readonly extensions: ChosenExtensions;
  /** True if the pipelines of its stages are not on this disk, so that their bounds are unknown. */
  readonly hasNoFiles?: boolean;
}

/** States after which the search for the longest run is given up, within some seconds. */
const mostStates = 2000;

/** Prints the upper bounds of a pipeline's runs (SEMANTICS 145). */
export async function printBound(bounded: BoundedFile, options: BoundArguments, io: Io): Promise<void> {
  const { compilation, file } = bounded;
  const computed = boundOf(bounded, options.maxItems, io);
  const { bound, run } = await withLongestRun(computed, compilation);
  if (options.script !== undefined) writeScript(run, options.script, io);
  if (options.json === true) {
    const { stages, ...rest } = bound;
    const reached = { is_reached: run === undefined ? null : true, witness: run?.script ?? null };
    const printed = { name: compilation.program.graph.name, stages: { ...stages, ...reached }, ...rest };
    io.stdout.write(`${terminalJson(printed, 2)}\n`);
    return;
  }
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
  io.stdout.write(renderBound(bound, run && { script: options.script, file }, chalk));
}

/** Upper bounds of a compiled file, with the configuration and the models that the call chooses. */
export function boundOf(
  { file, compilation: { program }, extensions, hasNoFiles = false }: BoundedFile,
  mostItems: number | undefined,
  io: Pick<Io, 'cwd' | 'env'>,
): CostBound {
  const environment = {
    workingDirectory: io.cwd(),
    settings: extensions.settings,
    variables: io.env,
  };
  const source = file === '-' ? undefined : path.resolve(io.cwd(), file);
  return boundCost({
    program,
    childOf: hasNoFiles
      ? (_, { handler }) => (handler.runsChild ? 'unknown' : undefined)
      : childrenBelow(program, childHome(source, io.cwd()), extensions),
    workOf: modelWorkOf(extensions, environment),
    defaultBudgetUsd: extensions.defaultBudgetUsd ?? usualBudgetUsd,
    mostItems,
  });
}

/** Reads and compiles the pipelines of stages, each file once. @param home directory of the file of the pipeline */
function childrenBelow(
  program: Program,
  home: string,
  extensions: ChosenExtensions,
): (program: Program, node: ProgramNode) => Program | 'unknown' | undefined {
  const homes = new Map<Program, string>([[program, home]]);
  const known = new Map<string, Program | 'unknown' | undefined>();
  const read = (file: string): Program | 'unknown' | undefined => {
    const text = readChildText(file);
    if (text === undefined) return 'unknown';
    if (text instanceof Error) return undefined;
    // Its stage fails if it cannot run.
    const child = compile(text, { name: file, ...compileOptionsOf(extensions) }).program;
    if (child !== undefined) homes.set(child, path.dirname(file));
    return child;
  };
  return (above, { node, handler }) => {
    const name = handler.runsChild ? childFile(above.graph, node, handler) : '';
    const directory = homes.get(above);
    if (name === '' || directory === undefined) return undefined;
    const file = path.resolve(directory, name);
    if (!known.has(file)) known.set(file, read(file));
    return known.get(file);
  };
}

/** The bound with the longest run, if the search finds it. */
async function withLongestRun(
  bound: CostBound,
  { program, ...compilation }: Compilation & { readonly program: Program },
): Promise<{ readonly bound: CostBound; readonly run: LongestRun['run'] }> {
  const { at_most: atMost, limits } = bound.stages;
  // The search follows neither children nor lists, and its own property would hide those of the pipeline.
  const isSearched =
    program.monitors.length === 0 &&
    [...program.nodes.values()].every(({ handler, parallel }) => !handler.runsChild && !parallel?.foreach);
  if (atMost === null || atMost === 0 || !isSearched) return { bound, run: undefined };
  const longest = await longestRun({ ...compilation, program }, atMost, mostStates);
  // Other limits than these may be the reason for a lower number.
  const held = longest.atMost < atMost ? [] : limits;
  return {
    bound: { ...bound, stages: { ...bound.stages, at_most: longest.atMost, limits: held } },
    run: longest.run,
  };
}

function writeScript(run: LongestRun['run'], file: string, io: Io): void {
  if (run === undefined)
    throw new UsageError(
      'no run was found that has as many stages as the bound allows, so there is no script',
    );
  try {
    writeFileSync(locateFile(file, io.cwd()), `${JSON.stringify(run.script, undefined, 2)}\n`);
  } catch (error) {
    throw new UsageError(`cannot write to ${file}: ${describeSystemError(error)}`);
  }
}
