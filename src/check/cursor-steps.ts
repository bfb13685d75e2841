import { isList, lookUp } from '../graph/look-up.js';
import type { Program, ProgramNode } from '../graph/program.js';
import { simulatedItem } from '../handlers/foreach-items.js';
import type { FreedProgram } from '../lint/flow/free-choices.js';
import type { AttemptInput, InputBody } from '../machine/input.js';
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
  /** Called with each reason why there are more steps than those that are returned. */
  readonly #cutOff: (reason: string) => void;

  constructor(freed: FreedProgram, options: WayOptions, cutOff: (reason: string) => void) {
    this.#program = freed.program;
    this.#freed = freed;
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
      return this.#beginnings(cursor, node, place).map((input, ordinal) => ({ ...step, input, ordinal }));
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
  #beginnings(cursor: Cursor, { id, parallel }: ProgramNode, place: AttemptInput): readonly InputBody[] {
    const begin = { kind: 'fan_out', ...place } as const;
    const foreach = parallel?.foreach;
    if (foreach === undefined || knownItems(cursor) !== undefined) return [begin];
    this.#cutOff(`lists of more than two items, for which "${id}" runs branches, are not followed`);
    const { path = '' } = foreach;
    const isFollowed = this.#freed.keys.values.has(path.replace(/^(?:context|state)\./, ''));
    const list = isFollowed ? lookUp(path, { lookup: (key) => cursor.context.get(key) }) : undefined;
    if (list !== undefined && isList(list)) return [{ ...begin, items: [list] }];
    const outcome = failure('there is no list', { retryable: false, failure_category: 'terminal' });
    const lists = isFollowed ? [[simulatedItem]] : [[simulatedItem], [], ['one', 'two']];
    return [
      ...lists.map((items) => ({ ...begin, items: [items] })),
      { kind: 'stage_settled', ...place, outcome },
    ];
  }
}
