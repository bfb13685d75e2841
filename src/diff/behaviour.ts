import { checkProperties } from '../check/check-properties.js';
import type { Compilation } from '../compiler/compile.js';
import type { Program } from '../graph/program.js';
import { monitorOf } from '../graph/properties/monitor.js';
import type { Property, StageEvent } from '../parser/property/ast.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { explore, type Trial } from '../testing/generate/explore.js';

/** Something that runs of one version can do, and no run of the other. */
export interface BehaviourChange {
  /** `reached`: a stage starts; `before`: it starts although others have not run; `completes`: the run completes although they have not. */
  readonly kind: 'reached' | 'before' | 'completes';
  /** The stage that starts, by its new id; undefined for the completion. */
  readonly node_id: string | undefined;
  /** Stages that have not run by then, by their new ids. */
  readonly without: readonly string[];
  /** Plays a run that does it, with the version that can. */
  readonly script: SimulationScript;
}

export interface BehaviourDifference {
  readonly appeared: readonly BehaviourChange[];
  readonly disappeared: readonly BehaviourChange[];
  /** Number of differences between the simulations that were not proved, and are left out. */
  readonly undecided: number;
}

type Runnable = Compilation & { readonly program: Program };

/** Facts that are proved for one comparison, and states of the search for each. */
const mostProved = 40;
const mostStates = 1500;

/**
 * Compares what the runs of two versions can do with the stages that both have: simulations of each version find what it can do, and the
 * search of `check` proves that no run of the other does it.
 * @param matched new ids of the nodes of the old version
 */
export async function compareBehaviour(
  before: Runnable,
  after: Runnable,
  matched: ReadonlyMap<string, string>,
): Promise<BehaviourDifference> {
  const backwards = new Map([...matched].map(([from, to]) => [to, from]));
  const old = factsOf((await explore(before.program)).trials, before.program, matched);
  const now = factsOf(
    (await explore(after.program)).trials,
    after.program,
    new Map([...backwards.keys()].map((id) => [id, id])),
  );
  const appeared = await proved(missingIn(now, old), (fact) => isImpossible(before, named(fact, backwards)));
  const disappeared = await proved(missingIn(old, now), (fact) => isImpossible(after, fact));
  return {
    appeared: grouped(appeared.facts),
    disappeared: grouped(disappeared.facts),
    undecided: appeared.undecided + disappeared.undecided,
  };
}

interface Fact {
  readonly kind: BehaviourChange['kind'];
  readonly node: string | undefined;
  readonly without: string | undefined;
  readonly trial: Trial;
}

/** Facts that simulations show, each with the shortest that does. */
function factsOf(
  trials: readonly Trial[],
  { startId, exitId, nodes }: Program,
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, Fact> {
  const facts = new Map<string, Fact>();
  const note = (fact: Fact): void => {
    const key = JSON.stringify([fact.kind, fact.node, fact.without]);
    const known = facts.get(key);
    if (known === undefined || fact.trial.seen.path.length < known.trial.seen.path.length)
      facts.set(key, fact);
  };
  const stages = [...nodes.keys()].flatMap((id) =>
    id === startId || id === exitId ? [] : (names.get(id) ?? []),
  );
  for (const trial of trials) {
    const started = new Set<string>();
    for (const id of trial.seen.path) {
      const node = names.get(id);
      if (node === undefined || id === startId || id === exitId || started.has(node)) continue;
      note({ kind: 'reached', node, without: undefined, trial });
      for (const other of stages)
        if (other !== node && !started.has(other)) note({ kind: 'before', node, without: other, trial });
      started.add(node);
    }
    if (trial.seen.status !== 'success' || trial.isCutOff) continue;
    for (const other of stages)
      if (!started.has(other)) note({ kind: 'completes', node: undefined, without: other, trial });
  }
  return facts;
}

/** Facts of one version that the other does not show; about a stage that one does not reach, nothing more. */
function missingIn(shown: ReadonlyMap<string, Fact>, other: ReadonlyMap<string, Fact>): readonly Fact[] {
  const missing = [...shown].flatMap(([key, fact]) => (other.has(key) ? [] : [fact]));
  const reached = new Set(missing.flatMap(({ kind, node }) => (kind === 'reached' ? [node] : [])));
  const missed = new Set([...reached]);
  return missing.filter(
    ({ kind, node, without }) =>
      kind === 'reached' || (!reached.has(node) && (without === undefined || !missed.has(without))),
  );
}

function named({ node, without, ...fact }: Fact, names: ReadonlyMap<string, string>): Fact {
  const of = (id: string | undefined): string | undefined => (id === undefined ? undefined : names.get(id));
  return { ...fact, node: of(node), without: of(without) };
}

async function proved(
  facts: readonly Fact[],
  isProved: (fact: Fact) => Promise<boolean>,
): Promise<{ readonly facts: readonly Fact[]; readonly undecided: number }> {
  const found: Fact[] = [];
  for (const fact of facts.slice(0, mostProved)) if (await isProved(fact)) found.push(fact);
  return { facts: found, undecided: facts.length - found.length };
}

/** Proves that no run of a version does something. */
async function isImpossible(version: Runnable, { kind, node, without }: Fact): Promise<boolean> {
  const property = propertyOf(kind, node, without);
  const monitor = monitorOf({ name: 'behaviour', text: '', origin: 'file', property }, version.program);
  const program = { ...version.program, monitors: [monitor] };
  const [verdict] = await checkProperties({ ...version, program }, { mostStates });
  return verdict?.kind === 'holds';
}

function propertyOf(kind: Fact['kind'], node: string | undefined, without: string | undefined): Property {
  if (kind === 'reached')
    return { kind: 'bound', limit: 0, counted: [eventOf(node)], after: undefined, before: undefined };
  const events = kind === 'completes' ? 'completion' : [eventOf(node)];
  return { kind: 'precedence', events, required: [eventOf(without)], since: undefined };
}

const nowhere = { start: 0, end: 0 };

function eventOf(text = ''): StageEvent {
  return { stages: { kind: 'named', name: { text, span: nowhere } }, result: undefined, span: nowhere };
}

/** One change for all facts about the same stage. */
function grouped(facts: readonly Fact[]): readonly BehaviourChange[] {
  const groups = new Map<string, BehaviourChange>();
  for (const { kind, node, without, trial } of facts) {
    const key = `${kind} ${node ?? ''} ${JSON.stringify(trial.seen.path)}`;
    const known = groups.get(key)?.without ?? [];
    groups.set(key, {
      kind,
      node_id: node,
      without: without === undefined ? known : [...known, without],
      script: trial.script,
    });
  }
  return [...groups.values()];
}
