import type { JsonValue } from '../../graph/json.js';
import type { KnownHandlerTypes } from '../../graph/known-handler-types.js';
import type { Program } from '../../graph/program.js';
import { readScript, type SimulationScript } from '../../run-directory/simulation-script.js';
import { type CoveragePoint, coveragePoints } from '../coverage-points.js';
import { playCase } from '../play-case.js';
import type { TestCase } from '../test-file.js';
import { CoverageWatcher } from '../watch-coverage.js';
import type { NewCase } from './case-text.js';
import { chooseTrials } from './choose-cases.js';
import { type Exploration, explore, type Trial } from './explore.js';
import { notFound, type Reason, whyNotCovered } from './why-not-covered.js';

/** Cases for a pipeline, and what none of them reaches. */
export interface GeneratedCases {
  readonly cases: readonly NewCase[];
  readonly points: number;
  readonly uncovered: readonly { readonly point: CoveragePoint; readonly reason: Reason }[];
  readonly exploration: Exploration;
}

/**
 * Finds the smallest set of cases, by greedy choice, that covers all that simulations can reach, and asks the flow analysis
 * about the rest.
 * @param own cases that people wrote, which need not be covered again
 */
export async function generateCases(
  program: Program,
  handlerTypes: KnownHandlerTypes,
  own: readonly TestCase[] = [],
): Promise<GeneratedCases> {
  const exploration = await explore(program);
  const { uncovered, found } = await askAnalysis(program, handlerTypes, exploration);
  const before = await coveredBy(program, own);
  const chosen = chooseTrials([...exploration.trials, ...found], before);
  const names = new Set(own.map(({ name }) => name));
  const cases = chosen.map((trial): NewCase => {
    return {
      name: newName(trial, names),
      generated: true,
      setup: {
        inputs: inputsOf(trial.script),
        script: trial.script,
        max_steps: trial.isCutOff ? exploration.mostSteps : undefined,
      },
      seen: trial.seen,
    };
  });
  return { cases, points: coveragePoints(program).length, uncovered, exploration };
}

function inputsOf({ inputs = {} }: SimulationScript): ReadonlyMap<string, JsonValue> {
  return new Map(Object.entries(inputs));
}

async function coveredBy(program: Program, cases: readonly TestCase[]): Promise<ReadonlySet<string>> {
  const covered = new Set<string>();
  for (const one of cases) {
    const watcher = new CoverageWatcher(program);
    await playCase(program, one, { onEvent: (event) => watcher.note(event) });
    for (const id of watcher.covered.keys()) covered.add(id);
  }
  return covered;
}

/** Points that no trial covers, with the reason; a run that the analysis knows is played too. */
async function askAnalysis(
  program: Program,
  handlerTypes: KnownHandlerTypes,
  { trials, mostSteps }: Exploration,
): Promise<Pick<GeneratedCases, 'uncovered'> & { readonly found: readonly Trial[] }> {
  const covered = new Set(trials.flatMap((trial) => [...trial.covered]));
  const found: Trial[] = [];
  const uncovered: { point: CoveragePoint; reason: Reason }[] = [];
  for (const point of coveragePoints(program)) {
    if (covered.has(point.id)) continue;
    const reason = whyNotCovered(point, program, handlerTypes, trials.length);
    if (reason.kind !== 'script') {
      uncovered.push({ point, reason });
      continue;
    }
    const trial = await playWitness(program, reason.script, point, mostSteps);
    if (trial.covered.has(point.id)) {
      found.push(trial);
      for (const id of trial.covered) covered.add(id);
    } else
      uncovered.push({
        point,
        reason: notFound(trials.length),
      });
  }
  return { uncovered: uncovered.filter(({ point }) => !covered.has(point.id)), found };
}

async function playWitness(
  program: Program,
  witness: unknown,
  point: CoveragePoint,
  mostSteps: number,
): Promise<Trial> {
  const script = readScript(witness, 'of the flow analysis');
  const watcher = new CoverageWatcher(program);
  const seen = await playCase(
    program,
    { script, inputs: inputsOf(script), max_steps: mostSteps },
    { onEvent: (event) => watcher.note(event) },
  );
  const isCutOff = mostSteps < program.limits.maxSteps && (seen.reason?.includes('--max-steps') ?? false);
  return { script, seen, covered: new Set(watcher.covered.keys()), deviations: [point.text], isCutOff };
}

const longestName = 100;

function newName({ deviations }: Trial, taken: Set<string>): string {
  const text = deviations.length === 0 ? 'everything succeeds' : deviations.join(', then ');
  const short = text.length > longestName ? `${text.slice(0, longestName)}…` : text;
  let name = short;
  for (let number = 2; taken.has(name); number += 1) name = `${short} (${number})`;
  taken.add(name);
  return name;
}
