import type { Witness, WitnessEntry } from '../../diagnostic/witness.js';
import { perObject } from '../../graph/per-object.js';
import type { Program } from '../../graph/program.js';
import { scriptInputs } from '../../graph/values/sample-inputs.js';
import { isEndedByScript } from './attempts.js';
import type { Departure } from './departure.js';
import { givenInputs } from './input-values.js';

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
  /** How often branches have failed together. */
  readonly failures: number;
  /** False if no script is known that makes the stages do this. */
  readonly isPlayable: boolean;
}

/** Walk with one more visit. */
export function walkOn(program: Program, before: Walk | undefined, by: Departure): Walk {
  const { steps = 0, redirects = 0, restarts = 0, failures = 0, special, isPlayable = true } = before ?? {};
  const isRestart = by.ending === 'restarted';
  const walk = {
    by,
    before,
    special,
    steps: isRestart ? 0 : steps + (isCounted(program, by) ? 1 : 0),
    redirects: isRestart ? 0 : redirects + (by.ending === 'sent_back' ? 1 : 0),
    restarts: restarts + (isRestart ? 1 : 0),
    failures: failures + (isLastingFailure(by) ? 1 : 0),
    isPlayable: isPlayable && by.attempts !== undefined,
  };
  if (isSpecial(program, by)) walk.special = walk;
  return walk;
}

/** Nodes of a walk in their order since its latest restart, without those of branches that have ended. */
export function nodesOf(end: Walk | undefined): readonly string[] {
  const ids: string[] = [];
  let line: string | undefined;
  for (let walk = end; walk !== undefined; walk = walk.before) {
    const { by } = walk;
    if (by.ending === 'restarted') break;
    const isAround: boolean = line === undefined || line.startsWith(by.line);
    if (!isAround) continue;
    line = by.line;
    if (by.part !== 'joins') ids.push(by.node.id);
  }
  return ids.reverse();
}

/** Visits that follow again and again in a line of control, until `max_steps` ends the run. */
export interface Lap {
  readonly departures: readonly Departure[];
  readonly line: string;
}

const noLap: Lap = { departures: [], line: '' };

/** Script of a run; undefined for one that the limits of the pipeline would end before, or that no script can play. */
export function witnessOf(program: Program, end: Walk | undefined, lap: Lap = noLap): Witness | undefined {
  const { maxSteps, maxGoalGateRedirects, maxRestarts } = program.limits;
  const { steps = 0, redirects = 0, restarts = 0, failures = 0 } = end ?? {};
  if (redirects > maxGoalGateRedirects || restarts > maxRestarts || steps > maxSteps) return undefined;
  if (failures > 1 || lap.departures.some(isLastingFailure)) return undefined;
  if (end?.isPlayable === false || lap.departures.some(({ attempts }) => attempts === undefined))
    return undefined;
  const shared = sharedNodes(program);
  if (shared.size > 0 && !sharesEvenly(unrolled(program, end, lap, 2), shared)) return undefined;
  let nodes: Witness['nodes'] | undefined;
  return {
    inputs: inputsOf(program, end),
    // A script is long where the run is: it is written when it is asked for.
    get nodes() {
      nodes ??= scriptOf(program, unrolled(program, end, lap, lapsOf(program, steps, lap)));
      return nodes;
    },
  };
}

/** Inputs that a run must be given; undefined if it needs none. */
function inputsOf({ graph }: Program, end: Walk | undefined): Witness['inputs'] {
  let first = end;
  while (first?.before !== undefined) first = first.before;
  return scriptInputs(graph, givenInputs(graph, first?.by.values ?? new Map()));
}

function lapsOf(program: Program, steps: number, { departures, line }: Lap): number {
  const perLap = departures.filter((one) => one.line === line && isCounted(program, one)).length;
  if (perLap === 0) return 0;
  // Where each stage does the same in all of a lap, its last entry says so of all laps.
  return isSteady(departures) ? 1 : Math.ceil((program.limits.maxSteps - steps + 1) / perLap);
}

function unrolled(
  program: Program,
  end: Walk | undefined,
  { departures }: Lap,
  laps: number,
): Walk | undefined {
  let walk = end;
  for (let round = 0; round < laps; round += 1) for (const by of departures) walk = walkOn(program, walk, by);
  return walk;
}

/** A failure whose reason no script says is not entered a third time if it is final (SEMANTICS 127). */
function isLastingFailure({ node, part, choice, ownStatus }: Departure): boolean {
  const { handler, parallel, ownRules } = node;
  const isJudged = choice.status !== 'fail' && ownRules?.retryWhen !== undefined;
  const failsItself = handler.joins || handler.inheritsOutcome || parallel !== undefined || isJudged;
  return ownStatus === 'fail' && part !== 'forks' && failsItself;
}

/** Nodes that several branches may visit at once. */
const sharedNodes = perObject(
  ({ nodes }: Program): ReadonlySet<string> =>
    new Set([...nodes.values()].flatMap(({ parallel }) => [...(parallel?.sharedNodes ?? [])])),
);

/** True if such a node does the same in all of its visits: any of them may come first. */
function sharesEvenly(end: Walk | undefined, shared: ReadonlySet<string>): boolean {
  const choices = new Map<string, Departure['choice']>();
  for (let walk = end; walk !== undefined; walk = walk.before) {
    const { node, choice } = walk.by;
    if (!shared.has(node.id)) continue;
    const isOther = choices.has(node.id) && choices.get(node.id) !== choice;
    if (isOther || (choices.has(node.id) && isEndedByScript(node, choice.status))) return false;
    choices.set(node.id, choice);
  }
  return true;
}

function isSteady(lap: readonly Departure[]): boolean {
  const choices = new Map(lap.map(({ node, choice }) => [node.id, choice]));
  return lap.every(
    ({ node, choice, asked }) =>
      choices.get(node.id) === choice && asked === 0 && !isEndedByScript(node, choice.status),
  );
}

function isCounted({ startId, exitId }: Program, { node, part }: Departure): boolean {
  return part !== 'joins' && node.id !== startId && node.id !== exitId;
}

function isSpecial(program: Program, by: Departure): boolean {
  // A simulated stage without a script says something that leads on, where it would be stuck.
  if (by.route.kind === 'fail' && by.route.failure === 'routing') return true;
  const { status, preferred_label, suggested_next_ids, updates } = by.choice;
  if (!isWork(by) || !isCounted(program, by)) return false;
  const hasPreference = preferred_label !== undefined || suggested_next_ids !== undefined;
  return status !== 'success' || hasPreference || updates.size > 0;
}

function isWork({ node }: Departure): boolean {
  return !node.handler.instant && !node.handler.joins;
}

/** Latest stage of a line of control whose word routes at the end of a walk: that of before, at a diamond. */
function workBefore(end: Walk): Departure | undefined {
  const { line } = end.by;
  for (let walk: Walk | undefined = end; walk !== undefined; walk = walk.before) {
    if (walk.by.line !== line) continue;
    if (isWork(walk.by)) return walk.by.node.handler.type === 'start' ? undefined : walk.by;
  }
  return undefined;
}

function scriptOf(program: Program, end: Walk | undefined): Witness['nodes'] {
  const visits = new Map<string, Attempt[]>();
  const { by } = end ?? {};
  // The walk does not say where it goes from the diamond: a stage without a script says what leads on, perhaps past it.
  const isOpen = program.nodes.get(by?.next?.nodeId ?? '')?.handler.inheritsOutcome === true;
  const last = isOpen && end !== undefined ? workBefore(end) : undefined;
  if (last !== undefined) visits.set(last.node.id, []);
  for (let walk = end?.special; walk !== undefined; walk = walk.before?.special) {
    const stage = workBefore(walk);
    if (stage !== undefined) visits.set(stage.node.id, []);
  }
  for (let walk = visits.size === 0 ? undefined : end; walk !== undefined; walk = walk.before)
    visits.get(walk.by.node.id)?.push(...attemptsOf(walk.by));
  const scripts = [...visits].map(([id, departures]): [string, readonly WitnessEntry[]] => {
    const entries = departures
      .reverse()
      .map((one, index) => (one === 'again' ? again : entryOf(one.node, one.choice, index)));
    return [id, withoutRepetition(entries)];
  });
  return Object.fromEntries(scripts.reverse());
}

/** Attempt of a stage that ends as its visit does, or asks for another one. */
type Attempt = Departure | 'again';

const again: WitnessEntry = { outcome: 'retry' };

/** Attempts of a visit, the last one first. */
function attemptsOf(by: Departure): readonly Attempt[] {
  const { attempts = 1, asked } = by;
  return [
    ...Array.from({ length: attempts }, () => by),
    ...Array.from({ length: asked }, () => 'again' as const),
  ];
}

function entryOf(node: Departure['node'], choice: Departure['choice'], before: number): WitnessEntry {
  const { status, preferred_label, suggested_next_ids, updates } = choice;
  const isFinal = isEndedByScript(node, status);
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
