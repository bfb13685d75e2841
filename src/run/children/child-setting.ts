import { graphAttribute } from '../../graph/attributes.js';
import type { Program } from '../../graph/program.js';
import type { SimulationScript } from '../../run-directory/simulation-script.js';
import type { Replay } from '../recording/replay.js';
import type { ResumeOptions, RunOptions } from '../run-options.js';
import type { Lineage } from '../start-run.js';

/** What a run hands on to the pipelines that its stages run (§9.4). */
export interface ChildSetting {
  /** Of the run itself. */
  readonly options: RunOptions;
  readonly place: RunPlace;
  /** What is scripted for a child that starts. */
  readonly script: SimulationScript;
  /** What this call of `resume` was given for a child that goes on, in place of what it was started with. */
  readonly given: Pick<ResumeOptions, 'script' | 'answers'>;
  /** How many runs there are above it, and how many there may be above any run below it. */
  readonly depth: number;
  readonly maxDepth: number;
  /** The visits that go on where the run had failed, or where branches of it had: by node. */
  /** Set where the run is played back: its children are too. */
  readonly replay?: Replay | undefined;
  readonly continued?: ReadonlyMap<string, number>;
}

/** Where a run is at home. */
export interface RunPlace {
  /** The file of the pipeline, from which those of its children are seen; without one it is the working directory. */
  readonly source: string | undefined;
  readonly workingDirectory: string;
}

interface Levels {
  readonly depth?: number | undefined;
  readonly maxDepth?: number | undefined;
}

/**
 * How deep pipelines may be nested (§9.4): what the run above leaves, or what the pipeline itself says where that is less.
 */
export function levelsOf(
  program: Program,
  { depth = 0, maxDepth = Number.POSITIVE_INFINITY }: Levels = {},
): Pick<Lineage, 'depth' | 'maxDepth'> {
  return { depth, maxDepth: Math.min(maxDepth, depth + graphAttribute(program.graph, 'limits.depth')) };
}

/** A child has inputs, answers and a script of its own, and its limits are those of its pipeline. */
export function inheritedOptions(options: RunOptions & ResumeOptions): RunOptions {
  const { answers: _answers, script: _script, inputs: _inputs, maxSteps: _maxSteps, ...some } = options;
  const { budgetUsd: _usd, budgetTokens: _tokens, ...others } = some;
  const {
    runDirectory: _run,
    runId: _id,
    workingDirectory: _working,
    sourcePath: _source,
    git: _git,
    replay: _replay,
    from: _from,
    ...rest
  } = others;
  return rest;
}
