import type { Compilation } from '../../compiler/compile.js';
import type { Program } from '../../graph/program.js';
import { monitorOf } from '../../graph/properties/monitor.js';
import { parseProperty } from '../../parser/property/parse.js';
import { type Counterexample, checkProperties } from '../check-properties.js';

/** Result of searching the runs of a pipeline for the longest. */
export interface LongestRun {
  /** No run has more stages: what was given, or less where the search has proved that. */
  readonly atMost: number;
  /** A run with as many stages; undefined if the search has not found one. */
  readonly run: Counterexample | undefined;
}

/**
 * Searches for the longest run of a pipeline without children, by the machine itself (SEMANTICS 145): proves that a bound is reached, or
 * lowers it.
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
    if (found === 'undecided') break;
    if (found === 'never') most = tried - 1;
    else {
      least = tried;
      run = found;
    }
  }
  return { atMost: most, run: least === most ? run : undefined };
}

/** A run with at least so many stages, `never` as a proof that there is none. */
async function reachesStages(
  compilation: Compilation & { readonly program: Program },
  stages: number,
  mostStates: number | undefined,
): Promise<Counterexample | 'never' | 'undecided'> {
  const text = stages <= 1 ? 'never any stage' : `never more than ${stages - 1} any stage`;
  const { property } = parseProperty(text);
  if (property === undefined) throw new Error(`not a property: ${text}`);
  const monitor = monitorOf({ name: 'stages', text, origin: 'file', property }, compilation.program);
  const program = { ...compilation.program, monitors: [monitor] };
  const [verdict] = await checkProperties({ ...compilation, program }, { mostStates });
  if (verdict?.kind === 'broken') return verdict.counterexample;
  return verdict?.kind === 'holds' ? 'never' : 'undecided';
}
