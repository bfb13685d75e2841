import { counted } from '../../diagnostic/counted.js';
import type { Program, ProgramNode } from '../../graph/program.js';
import type { Inputs } from '../../graph/values/declared-inputs.js';
import { sampleInputs } from '../../graph/values/sample-inputs.js';
import type { Handler } from '../../handlers/handler.js';
import { listInputs, triedLists } from '../../lint/flow/list-inputs.js';
import type { RunEvent } from '../../machine/event.js';
import type { Outcome } from '../../machine/outcome.js';
import { scriptedHandler } from '../../run/simulate/simulated-handlers.js';
import type { ScriptEntry, SimulationScript } from '../../run-directory/simulation-script.js';
import { type Chooser, type Observation, playCase, type Setup } from '../play-case.js';
import { CoverageWatcher } from '../watch-coverage.js';
import { type Alternative, stageAlternatives } from './stage-alternatives.js';

/** A simulation that was tried, with all that it shows. */
export interface Trial {
  /** Script that plays it again. */
  readonly script: SimulationScript;
  readonly seen: Observation;
  /** Ids of the points that it covers. */
  readonly covered: ReadonlySet<string>;
  /** What is unusual about it, in the order in which it happens: `"test" fails`. */
  readonly deviations: readonly string[];
  /** True if it was stopped because it is long; more stages would follow. */
  readonly isCutOff: boolean;
}

/** Results of an exploration. */
export interface Exploration {
  readonly trials: readonly Trial[];
  /** Limit of stages of a trial. */
  readonly mostSteps: number;
  /** False if it was given up before everything was tried. */
  readonly isComplete: boolean;
}

/** A place at which a trial could have gone otherwise: an attempt of a stage, or a question. */
interface Decision {
  readonly nodeId: string;
  /** Number of the attempt or the question, from 0. */
  readonly ordinal: number;
}

interface Plan {
  readonly beginning: Beginning;
  /** Alternatives by node and ordinal; everything else happens as usual. */
  readonly choices: readonly (Decision & { readonly alternative: Alternative })[];
}

/** Trials, and stages of all trials together, after which an exploration is given up. */
const mostTrials = 300;
const mostStages = 8000;

/** Times that a stage does what is usual in a trial, before it tries something else. */
const usualTimes = 2;

/** Attempts of the same stage up to which they are told apart. */
const mostOrdinals = 3;

/** Inputs with which trials begin. */
interface Beginning {
  readonly inputs: Inputs;
  /** Unusual facts about them, in words. */
  readonly deviations: readonly string[];
}

/** What stays the same in all trials. */
export type ExplorationSetup = Pick<Setup, 'inputs'>;

/**
 * Tries what can happen in a pipeline: first everything as usual, then with every alternative of every stage, then with
 * several in a row, the new ones first. The same program gives the same trials.
 */
export async function explore(program: Program, setup: ExplorationSetup = {}): Promise<Exploration> {
  const mostSteps = Math.min(program.limits.maxSteps, 40 + 3 * program.nodes.size);
  const queue = new PlanQueue(program, beginningsOf(program, setup));
  const trials: Trial[] = [];
  const known = new Set<string>();
  let stages = 0;
  for (let plan = queue.next(); plan !== undefined; plan = queue.next()) {
    if (trials.length >= mostTrials || stages >= mostStages) return { trials, mostSteps, isComplete: false };
    const { trial, decisions } = await attempt(program, plan, mostSteps);
    stages += trial.seen.path.length;
    queue.add(plan, decisions);
    const key = JSON.stringify([
      trial.seen.status,
      trial.seen.path,
      trial.seen.asked,
      [...trial.covered].sort(),
    ]);
    if (!known.has(key)) trials.push(trial);
    known.add(key);
  }
  return { trials, mostSteps, isComplete: true };
}

/** Plans that wait, the most promising first. */
class PlanQueue {
  readonly #program: Program;
  /** Alternatives that were never tried; then those that were not tried after the same one before. */
  readonly #fresh: Plan[];
  readonly #deeper: Plan[] = [];
  readonly #tried = new Set<string>();

  constructor(program: Program, beginnings: readonly Beginning[]) {
    this.#program = program;
    this.#fresh = beginnings.map((beginning) => ({ beginning, choices: [] }));
  }

  next(): Plan | undefined {
    return this.#fresh.shift() ?? this.#deeper.shift();
  }

  /** Plans that go otherwise at a decision of a trial, after what was decided before. */
  add({ beginning, choices }: Plan, decisions: readonly Decision[]): void {
    const last = choices.at(-1);
    const from = last === undefined ? 0 : indexOf(decisions, last) + 1;
    for (const decision of decisions.slice(from)) {
      if (decision.ordinal >= mostOrdinals) continue;
      for (const alternative of stageAlternatives(this.#program).get(decision.nodeId) ?? []) {
        const name = `${decision.nodeId} ${alternative.key}`;
        const isFresh = !this.#tried.has(name);
        const before = last === undefined ? '' : `${last.nodeId} ${last.alternative.key}`;
        const path = [name, decision.ordinal, 'after', before, ...beginning.deviations].join(' ');
        if (this.#tried.has(path)) continue;
        this.#tried.add(name).add(path);
        const plan = { beginning, choices: [...choices, { ...decision, alternative }] };
        (isFresh ? this.#fresh : this.#deeper).push(plan);
      }
    }
  }
}

function indexOf(decisions: readonly Decision[], { nodeId, ordinal }: Decision): number {
  return decisions.findIndex((one) => one.nodeId === nodeId && one.ordinal === ordinal);
}

async function attempt(
  program: Program,
  plan: Plan,
  mostSteps: number,
): Promise<{ readonly trial: Trial; readonly decisions: readonly Decision[] }> {
  const { inputs } = plan.beginning;
  const recorder = new Recorder(program, plan);
  const play = async (
    script: SimulationScript,
    chooser?: Chooser,
  ): Promise<Pick<Trial, 'seen' | 'covered'>> => {
    const watcher = new CoverageWatcher(program);
    const onEvent = (event: RunEvent): void => watcher.note(event);
    const seen = await playCase(program, { script, max_steps: mostSteps }, { onEvent, chooser });
    return { seen, covered: new Set(watcher.covered.keys()) };
  };
  const first = await play({ inputs, nodes: new Map(), answers: new Map() }, recorder);
  const { decisions } = recorder;
  const deviations = [...plan.beginning.deviations, ...recorder.deviations];
  const given = Object.keys(inputs).length === 0 ? undefined : inputs;
  const script = { inputs: given, ...recorder.script() };
  // At the same time, a stage with a script may end after one without it, which decides between branches: the script counts.
  const hasBranches = [...program.nodes.values()].some(({ parallel }) => parallel !== undefined);
  const { seen, covered } = hasBranches ? await play(script) : first;
  const isCutOff = mostSteps < program.limits.maxSteps && (seen.reason?.includes('--max-steps') ?? false);
  return { trial: { script, seen, covered, deviations, isCutOff }, decisions };
}

/** Inputs to begin with: the usual ones, then with every other number of items in a list that becomes branches. */
function beginningsOf({ graph, nodes }: Program, setup: ExplorationSetup): readonly Beginning[] {
  const given = Object.fromEntries(setup.inputs ?? []);
  const lists = listInputs(graph, nodes.values()).filter(({ name }) => !Object.hasOwn(given, name));
  const several = [...(triedLists.at(-1) ?? [])];
  const required = lists.filter(({ isRequired }) => isRequired).map(({ name }) => [name, several] as const);
  const inputs: Inputs = { ...sampleInputs(graph), ...Object.fromEntries(required), ...given };
  const others = lists.flatMap(({ name, isRequired }) =>
    triedLists
      .filter(({ length }) => !isRequired || length !== several.length)
      .map((items) => ({
        inputs: { ...inputs, [name]: [...items] },
        deviations: [`${counted(items.length, 'item')} in ${name}`],
      })),
  );
  return [{ inputs, deviations: [] }, ...others];
}

/** Decides by a plan, and writes down what happens. */
class Recorder implements Chooser {
  readonly decisions: Decision[] = [];
  readonly deviations: string[] = [];
  readonly #program: Program;
  readonly #handlers = new Map<string, Handler>();
  readonly #planned: ReadonlyMap<string, Alternative>;
  /** Stages and gates that have done something unusual. */
  readonly #scripted = new Set<string>();
  readonly #entries = new Map<string, ScriptEntry[]>();
  readonly #answers = new Map<string, string[]>();
  readonly #asked = new Map<string, number>();

  constructor(program: Program, { choices }: Plan) {
    this.#program = program;
    this.#planned = new Map(choices.map((one) => [`${one.nodeId} ${one.ordinal}`, one.alternative]));
  }

  handlerOf(node: ProgramNode, ordinal: number, usual: Handler): Handler {
    if (!stageAlternatives(this.#program).has(node.id) || node.handler.type === 'wait.human') return usual;
    const key = `${node.id} ${ordinal}`;
    // The driver may ask for the handler of an attempt more than once.
    const known = this.#handlers.get(key);
    if (known !== undefined) return known;
    const handler = this.#decide(node, ordinal, usual);
    this.#handlers.set(key, handler);
    return handler;
  }

  #decide(node: ProgramNode, ordinal: number, usual: Handler): Handler {
    this.decisions.push({ nodeId: node.id, ordinal });
    const planned = this.#planned.get(`${node.id} ${ordinal}`);
    const alternative = planned ?? this.#wayOut(node.id, ordinal);
    if (alternative?.kind === 'entry') {
      const entry = withReason(alternative.entry, ordinal);
      if (planned !== undefined) this.deviations.push(entryText(node, alternative.entry));
      this.#scripted.add(node.id);
      this.#note(node.id, ordinal, entry);
      return scriptedHandler([entry], 0);
    }
    return {
      ...usual,
      execute: async (stage) => {
        const outcome = await usual.execute(stage);
        this.#note(node.id, ordinal, entryOf(outcome));
        return outcome;
      },
    };
  }

  answer(nodeId: string, usual: string | undefined): string | undefined {
    const ordinal = this.#asked.get(nodeId) ?? 0;
    this.#asked.set(nodeId, ordinal + 1);
    this.decisions.push({ nodeId, ordinal });
    const planned = this.#planned.get(`${nodeId} ${ordinal}`);
    const alternative = planned ?? this.#wayOut(nodeId, ordinal);
    const isUnusual = alternative?.kind === 'answer';
    const answer = isUnusual ? alternative.answer : usual;
    if (isUnusual) this.#scripted.add(nodeId);
    if (isUnusual && planned !== undefined)
      this.deviations.push(
        answer === undefined ? `nobody answers "${nodeId}"` : `"${nodeId}": ${answer.replace('\t', ', ')}`,
      );
    const answers = this.#answers.get(nodeId) ?? [];
    if (answer !== undefined) answers.push(answer);
    this.#answers.set(nodeId, answers);
    return answer;
  }

  /** Script of what has happened: of the stages that did something unusual, and of their gates. */
  script(): SimulationScript {
    const unusual = [...this.#entries].filter(([id]) => this.#scripted.has(id));
    const nodes = unusual.map(([id, entries]): [string, readonly ScriptEntry[]] => [
      id,
      withoutRepetition(Array.from(entries, (entry) => entry ?? { outcome: 'success' as const })),
    ]);
    const answers = [...this.#answers].filter(([id]) => this.#scripted.has(id));
    return { nodes: new Map(nodes), answers: new Map(answers) };
  }

  /**
   * What a stage does when control comes again and again: something else each time, so that loops end whose way out is not the
   * usual one.
   */
  #wayOut(nodeId: string, ordinal: number): Alternative | undefined {
    if (ordinal < usualTimes) return undefined;
    const ways = stageAlternatives(this.#program).get(nodeId) ?? [];
    const turn = (ordinal - usualTimes + 1) % (ways.length + 1);
    return turn === 0 ? undefined : ways[turn - 1];
  }

  #note(nodeId: string, ordinal: number, entry: ScriptEntry): void {
    const entries = this.#entries.get(nodeId) ?? [];
    entries[ordinal] = entry;
    this.#entries.set(nodeId, entries);
  }
}

/** A stage that fails for the same reason again and again is treated in another way (SEMANTICS 127). */
function withReason(entry: ScriptEntry, ordinal: number): ScriptEntry {
  return entry.outcome === 'fail' ? { ...entry, failure_reason: `failure ${ordinal + 1}` } : entry;
}

/** The entry that does what a simulated stage did. */
function entryOf(outcome: Outcome | undefined): ScriptEntry {
  const { status: word = 'success', preferred_label, context_updates = {} } = outcome ?? {};
  const made = Object.entries(context_updates).filter(
    ([key]) => key !== 'last_stage' && key !== 'last_response',
  );
  const entry: ScriptEntry = { outcome: word };
  return {
    ...entry,
    preferred_label,
    context_updates: made.length === 0 ? undefined : Object.fromEntries(made),
  } as ScriptEntry;
}

/** The last entry of a script repeats. */
function withoutRepetition(entries: readonly ScriptEntry[]): readonly ScriptEntry[] {
  const last = JSON.stringify(entries.at(-1));
  let length = entries.length;
  while (length > 1 && JSON.stringify(entries[length - 2]) === last) length -= 1;
  return entries.slice(0, length);
}

/** An unusual end of an attempt, in words. */
function entryText({ id, handler }: ProgramNode, entry: ScriptEntry): string {
  const { outcome, preferred_label: label, suggested_next_ids: suggested, context_updates: updates } = entry;
  if (outcome === 'fail' && updates === undefined) return `"${id}" fails`;
  const output = updates?.['tool.output'];
  if (handler.type === 'tool' && output !== undefined) return `"${id}" prints ${String(output)}`;
  const parts = [
    ...(outcome === 'success' ? [] : [outcome]),
    ...(label === undefined ? [] : [label]),
    ...(suggested === undefined ? [] : [`to ${suggested.join(', ')}`]),
    ...Object.entries(updates ?? {}).map(([key, value]) => `${key}=${JSON.stringify(value)}`),
  ];
  return `"${id}": ${parts.join(', ')}`;
}
