import type { Witness, WitnessEntry } from '../../diagnostic/witness.js';
import type { Program } from '../../graph/program.js';
import type { Departure } from './flow-steps.js';

/** Visits of a run, linked from the last one to the start, so that runs share their beginnings. */
export interface Walk {
  readonly by: Departure;
  readonly before: Walk | undefined;
  /** Latest visit, this one included, that does what a simulated stage does not do by itself. */
  readonly special: Walk | undefined;
  /** Stages since the latest restart, as `max_steps` counts them. */
  readonly steps: number;
  readonly redirects: number;
  readonly restarts: number;
}

/** Walk with one more visit. */
export function walkOn(program: Program, before: Walk | undefined, by: Departure): Walk {
  const { steps = 0, redirects = 0, restarts = 0, special } = before ?? {};
  const isRestart = by.ending === 'restarted';
  const walk = {
    by,
    before,
    special,
    steps: isRestart ? 0 : steps + (isCounted(program, by) ? 1 : 0),
    redirects: isRestart ? 0 : redirects + (by.ending === 'sent_back' ? 1 : 0),
    restarts: restarts + (isRestart ? 1 : 0),
  };
  if (isSpecial(program, by)) walk.special = walk;
  return walk;
}

/** Nodes of a walk in their order. */
export function nodesOf(end: Walk | undefined): readonly string[] {
  const ids: string[] = [];
  for (let walk = end; walk !== undefined; walk = walk.before) ids.push(walk.by.node.id);
  return ids.reverse();
}

/**
 * Script of a run; undefined for one that the limits of the pipeline would end before.
 * @param lap visits that follow again and again, until `max_steps` ends the run
 */
export function witnessOf(
  program: Program,
  end: Walk | undefined,
  lap: readonly Departure[] = [],
): Witness | undefined {
  const { maxSteps, maxGoalGateRedirects, maxRestarts } = program.limits;
  const { steps = 0, redirects = 0, restarts = 0 } = end ?? {};
  if (redirects > maxGoalGateRedirects || restarts > maxRestarts || steps > maxSteps) return undefined;
  const perLap = lap.filter((one) => isCounted(program, one)).length;
  // Where each stage does the same in all of a lap, its last entry says so of all laps.
  const laps = perLap === 0 ? 0 : isSteady(lap) ? 1 : Math.ceil((maxSteps - steps + 1) / perLap);
  let whole = end;
  for (let round = 0; round < laps; round += 1) for (const by of lap) whole = walkOn(program, whole, by);
  return { nodes: scriptOf(whole) };
}

function isSteady(lap: readonly Departure[]): boolean {
  const choices = new Map(lap.map(({ node, choice }) => [node.id, choice]));
  return lap.every(({ node, choice }) => choices.get(node.id) === choice && !wouldRetry(node, choice));
}

function isCounted({ startId, exitId }: Program, { node }: Departure): boolean {
  return node.id !== startId && node.id !== exitId;
}

function isSpecial(program: Program, by: Departure): boolean {
  const { status, preferred_label, suggested_next_ids, updates } = by.choice;
  if (by.node.handler.instant || !isCounted(program, by)) return false;
  const hasPreference = preferred_label !== undefined || suggested_next_ids !== undefined;
  return status !== 'success' || hasPreference || updates.size > 0;
}

function scriptOf(end: Walk | undefined): Witness['nodes'] {
  const visits = new Map<string, Departure[]>();
  for (let walk = end?.special; walk !== undefined; walk = walk.before?.special)
    visits.set(walk.by.node.id, []);
  for (let walk = visits.size === 0 ? undefined : end; walk !== undefined; walk = walk.before)
    visits.get(walk.by.node.id)?.push(walk.by);
  const scripts = [...visits].map(([id, departures]): [string, readonly WitnessEntry[]] => {
    const entries = departures.reverse().map(({ node, choice }, index) => entryOf(node, choice, index));
    return [id, withoutRepetition(entries)];
  });
  return Object.fromEntries(scripts.reverse());
}

/** True for a failure after which the stage would be tried again. */
function wouldRetry({ handler, retry }: Departure['node'], { status }: Departure['choice']): boolean {
  return status === 'fail' && handler.retriesFailure && retry.retriesFailure && retry.maxAttempts > 1;
}

function entryOf(node: Departure['node'], choice: Departure['choice'], before: number): WitnessEntry {
  const { status, preferred_label, suggested_next_ids, updates } = choice;
  const isFinal = wouldRetry(node, choice);
  return {
    outcome: status,
    preferred_label,
    suggested_next_ids,
    context_updates: updates.size === 0 ? undefined : Object.fromEntries(updates),
    // A stage that fails for the same reason again is not entered a third time.
    failure_reason: isFinal ? `failure ${before + 1}` : undefined,
    retryable: isFinal ? false : undefined,
  };
}

/** The last entry of a script repeats. */
function withoutRepetition(entries: readonly WitnessEntry[]): readonly WitnessEntry[] {
  const last = JSON.stringify(entries.at(-1));
  let length = entries.length;
  while (length > 1 && JSON.stringify(entries[length - 2]) === last) length -= 1;
  return entries.slice(0, length);
}
