import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type LongestRun, longestRun } from '../../check/bound/reached.js';
import { type Compilation, compile } from '../../compiler/compile.js';
import { counted } from '../../diagnostic/counted.js';
import { printable } from '../../diagnostic/printable.js';
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
import { type BoundCostInput, boundCost, type CostBound } from './bound-cost.js';
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

/**
 * Prints the upper bounds of a pipeline's runs (SEMANTICS 145).
 * @returns false if a script was asked for, and no run found that has as many stages
 */
export async function printBound(bounded: BoundedFile, options: BoundArguments, io: Io): Promise<boolean> {
  const { compilation, file } = bounded;
  const { bound, run, untold } = await withLongestRun(bounded, options.maxItems, io);
  const { script } = options;
  if (script !== undefined && run !== undefined) writeScript(run, script, io);
  if (options.json === true) {
    const { stages, ...rest } = bound;
    const reached = { is_reached: run === undefined ? null : true, witness: run?.script ?? null };
    const printed = { name: compilation.program.graph.name, stages: { ...stages, ...reached }, ...rest };
    io.stdout.write(`${terminalJson(printed, 2)}\n`);
  } else {
    const { Chalk } = await import('chalk');
    const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
    io.stdout.write(renderBound(bound, run && { script, file }, chalk));
  }
  if (script === undefined || run !== undefined) return true;
  const why = untold.slice(0, mostReasons).map((reason) => `; ${printable(reason)}`);
  if (untold.length > why.length) why.push(`; and ${untold.length - why.length} more`);
  io.stderr.write(
    `attractor: ${printable(script)} is not written: ${noScript(bound.stages.at_most)}${why.join('')}\n`,
  );
  return false;
}

const mostReasons = 3;

function noScript(stages: number | null): string {
  if (stages === null) return 'nothing limits the stages of a run';
  if (stages === 0) return 'no run has a stage';
  return `no run with ${counted(stages, 'stage')} was found, nor a proof that there is none`;
}

/** Upper bounds of a compiled file, with the configuration and the models that the call chooses. */
export function boundOf(
  bounded: BoundedFile,
  mostItems: number | undefined,
  io: Pick<Io, 'cwd' | 'env'>,
): CostBound {
  return boundCost(inputOf(bounded, mostItems, io));
}

function inputOf(
  { file, compilation: { program }, extensions, hasNoFiles = false }: BoundedFile,
  mostItems: number | undefined,
  io: Pick<Io, 'cwd' | 'env'>,
): BoundCostInput {
  const environment = {
    workingDirectory: io.cwd(),
    settings: extensions.settings,
    variables: io.env,
  };
  const source = file === '-' ? undefined : path.resolve(io.cwd(), file);
  return {
    program,
    childOf: hasNoFiles
      ? (_, { handler }) => (handler.runsChild ? 'unknown' : undefined)
      : childrenBelow(program, childHome(source, io.cwd()), extensions),
    workOf: modelWorkOf(extensions, environment),
    defaultBudgetUsd: extensions.defaultBudgetUsd ?? usualBudgetUsd,
    mostItems,
  };
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

interface ReachedBound {
  readonly bound: CostBound;
  readonly run: LongestRun['run'];
  /** Reasons why no run was found. */
  readonly untold: readonly string[];
}

/** The bound with the longest run, if the search finds it. */
async function withLongestRun(
  bounded: BoundedFile,
  mostItems: number | undefined,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<ReachedBound> {
  const { compilation } = bounded;
  const input = inputOf(bounded, mostItems, io);
  const bound = boundCost(input);
  const { at_most: atMost } = bound.stages;
  const nodes = [...compilation.program.nodes.values()];
  const untold = [
    ...(nodes.some(({ handler }) => handler.runsChild)
      ? ['the runs of the pipelines of its stages are not searched']
      : []),
    ...(nodes.some(({ parallel }) => parallel?.foreach) ? ['the items of a list are not searched'] : []),
  ];
  if (atMost === null || atMost === 0 || untold.length > 0) return { bound, run: undefined, untold };
  const longest = await longestRun(compilation, atMost, mostStates);
  const { run, reasons } = longest;
  if (longest.atMost === atMost) return { bound, run, untold: reasons };
  const lower = boundCost(input, longest.atMost);
  // Other limits than these may be the reason for a lower number.
  const stages = { ...lower.stages, at_most: longest.atMost, limits: [] };
  return { bound: { ...lower, stages }, run, untold: reasons };
}

function writeScript(run: NonNullable<LongestRun['run']>, file: string, io: Io): void {
  try {
    writeFileSync(locateFile(file, io.cwd()), `${JSON.stringify(run.script, undefined, 2)}\n`);
  } catch (error) {
    throw new UsageError(`cannot write to ${file}: ${describeSystemError(error)}`);
  }
}
