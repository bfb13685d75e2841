import type { Compilation } from '../../compiler/compile.js';
import type { Program } from '../../graph/program.js';
import { monitorOf } from '../../graph/properties/monitor.js';
import { parseProperty } from '../../parser/property/parse.js';
import {
  type Counterexample,
  checkProperties,
  type PropertyVerdict,
  playedRun,
} from '../check-properties.js';
import type { PathScript } from '../script-of.js';

/** Result of searching the runs of a pipeline for the longest. */
export interface LongestRun {
  /** No run has more stages: what was given, or less where the search has proved that. */
  readonly atMost: number;
  /** A run with as many stages; undefined if the search has not found one. */
  readonly run: Counterexample | undefined;
  /** Reasons why none was found. */
  readonly reasons: readonly string[];
}

/**
 * Searches for the longest run of a pipeline without children, by the machine itself (SEMANTICS 145): proves that a bound is reached, or
 * lowers it. The properties of the pipeline only end runs earlier: the search leaves them out, and plays what it finds with them.
 * @param atMost upper bound of the stages of a run
 * @param mostStates states after which one search is given up
 */
export async function longestRun(
  compilation: Compilation & { readonly program: Program },
  atMost: number,
  mostStates?: number,
): Promise<LongestRun> {
  let most = atMost;
  let least = 0;
  let run: Counterexample | undefined;
  for (let tried = most; least < most; tried = Math.ceil((least + most) / 2)) {
    const found = await reachesStages(compilation, tried, mostStates);
    if (found.kind === 'undecided')
      return { atMost: most, run: undefined, reasons: found.reasons.map(ofRun) };
    if (found.kind === 'holds') most = tried - 1;
    else {
      least = tried;
      run = found.counterexample;
    }
  }
  return { atMost: most, run, reasons: [] };
}

/** Decides whether runs stay below so many stages: broken by a run that, by the properties of the pipeline too, has as many. */
async function reachesStages(
  compilation: Compilation & { readonly program: Program },
  stages: number,
  mostStates: number | undefined,
): Promise<PropertyVerdict> {
  const text = stages <= 1 ? 'never any stage' : `never more than ${stages - 1} any stage`;
  const { property } = parseProperty(text);
  if (property === undefined) throw new Error(`not a property: ${text}`);
  const monitor = monitorOf({ name: 'stages', text, origin: 'file', property }, compilation.program);
  const program = { ...compilation.program, monitors: [monitor] };
  let isEndedEarlier = false;
  const accepts = async ({ script }: Counterexample): Promise<boolean> => {
    const isAsLong =
      compilation.program.monitors.length === 0 || (await stagesPlayed(compilation, script)) >= stages;
    isEndedEarlier ||= !isAsLong;
    return isAsLong;
  };
  const [verdict] = await checkProperties({ ...compilation, program }, { mostStates, accepts });
  if (verdict === undefined) throw new Error(`no verdict about: ${text}`);
  if (verdict.kind !== 'undecided' || !isEndedEarlier) return verdict;
  return { ...verdict, reasons: ['a property of the pipeline ends those that were tried before'] };
}

/** Reason for which a property is not decided, as one for which no run is found. */
function ofRun(reason: string): string {
  return reason.replace(/^it may not hold: /, 'there may be one ').replace(' (`--max-states`)', '');
}

/** Number of stages of the run that a script plays, without start and exit. */
async function stagesPlayed(
  compilation: Compilation & { readonly program: Program },
  script: PathScript,
): Promise<number> {
  const { startId, exitId } = compilation.program;
  const { path } = await playedRun(compilation, script);
  return path.filter((id) => id !== startId && id !== exitId).length;
}
