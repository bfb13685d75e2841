import { isList, lookUp } from '../graph/look-up.js';
import type { Program, ProgramNode } from '../graph/program.js';
import { simulatedItem } from '../handlers/foreach-items.js';
import { flatKey } from '../lint/conditions/variable.js';
import type { FreedProgram } from '../lint/flow/free-choices.js';
import { listInputs, triedLists } from '../lint/flow/list-inputs.js';
import type { AttemptInput } from '../machine/input.js';
import { failure } from '../machine/outcome.js';
import { knownItems } from '../machine/parallel.js';
import type { Cursor } from '../machine/state.js';
import type { SearchStep } from './search-step.js';
import { StageWays, type WayOptions } from './stage-ways.js';

/** Steps that a cursor can take next. */
export class CursorSteps {
  readonly #program: Program;
  readonly #freed: FreedProgram;
  readonly #ways: StageWays;
  /** Paths of the inputs with which a search begins. */
  readonly #lists: ReadonlySet<string>;
  /** Called with each reason why there are more steps than those that are returned. */
  readonly #cutOff: (reason: string) => void;

  constructor(freed: FreedProgram, options: WayOptions, cutOff: (reason: string) => void) {
    this.#program = freed.program;
    this.#freed = freed;
    const { graph, nodes } = freed.program;
    const read = new Set(listInputs(graph, nodes.values()).map(({ key }) => key));
    const paths = [...nodes.values()].flatMap(({ parallel }) => parallel?.foreach?.path ?? []);
    this.#lists = new Set(paths.filter((path) => read.has(flatKey(path))));
    this.#ways = new StageWays(freed.program, options);
    this.#cutOff = cutOff;
  }

  /** True for a cursor with which something can happen now. */
  isMovable({ nodeId, phase }: Cursor): boolean {
    if (phase === 'running' || phase === 'waiting') return true;
    return phase === 'forked' && this.#program.nodes.get(nodeId)?.timeout !== undefined;
  }

  of(cursor: Cursor): readonly SearchStep[] {
    const node = this.#program.nodes.get(cursor.nodeId);
    if (node === undefined) return [];
    const { id, index, attempt, nodeId, execution, phase } = cursor;
    const place = { cursor: id, index, attempt };
    const step = { cursor: id, nodeId, execution, way: undefined, ordinal: 0 };
    if (phase === 'waiting') return [{ ...step, input: { kind: 'timer_fired', ...place } }];
    if (phase === 'forked')
      return [{ ...step, input: { kind: 'timer_fired', ...place }, now: node.timeout?.milliseconds }];
    if (node.parallel !== undefined)
      return this.#beginnings(cursor, node, place).map((one, ordinal) => ({ ...step, ...one, ordinal }));
    const { ways, areAll } = this.#ways.of(cursor, node);
    if (!areAll) this.#cutOff(`"${nodeId}" can end in too many ways`);
    return ways.map((way, ordinal) => ({
      ...step,
      way,
      ordinal,
      input: { kind: 'stage_settled', ...place, outcome: way.outcome, simulated: true },
    }));
  }

  /** A parallel node begins its branches; without a list for them it fails, but in a simulation, which has one item (SEMANTICS 106). */
  #beginnings(cursor: Cursor, { id, parallel }: ProgramNode, place: AttemptInput): readonly Beginning[] {
    const begin = { kind: 'fan_out', ...place } as const;
    const foreach = parallel?.foreach;
    if (foreach === undefined || knownItems(cursor) !== undefined) return [{ input: begin }];
    this.#cutOff(`lists of more than two items, for which "${id}" runs branches, are not followed`);
    const { path = '' } = foreach;
    const isFollowed = this.#lists.has(path) || this.#freed.keys.values.has(flatKey(path));
    const list = isFollowed ? lookUp(path, { lookup: (key) => cursor.context.get(key) }) : undefined;
    if (list !== undefined && isList(list)) return [{ input: { ...begin, items: [list] } }];
    const outcome = failure('there is no list', { retryable: false, failure_category: 'terminal' });
    const about = `the items for which "${id}" runs branches`;
    const others = isFollowed ? [] : triedLists.filter(({ length }) => length !== 1);
    return [
      { input: { ...begin, items: [[simulatedItem]] } },
      ...others.map((items) => ({ input: { ...begin, items: [[...items]] }, about })),
      { input: { kind: 'stage_settled', ...place, outcome }, about },
    ];
  }
}

/** One way in which a parallel node begins. */
type Beginning = Pick<SearchStep, 'input' | 'about'>;
