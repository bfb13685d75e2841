import {
  getLookaheadPaths,
  LLkLookaheadStrategy,
  type LookaheadProductionType,
  type Rule,
  type TokenType,
} from 'chevrotain';
import { type Choose, chooser, type Decision, type Enter, optionTest } from './decision.js';

const decisions = new WeakMap<Choose | Enter, Decision>();

/** Decision of a look-ahead function that was built here. */
export function decisionOf(lookahead: Choose | Enter): Decision {
  const decision = decisions.get(lookahead);
  if (decision === undefined)
    throw new Error('the parser library decides by something that was not built here');
  return decision;
}

/** Look-ahead of one token that keeps the decisions of the analysis. Only the bundler needs it. */
export class RecordingLookahead extends LLkLookaheadStrategy {
  readonly #vocabulary: readonly TokenType[];

  constructor(vocabulary: readonly TokenType[]) {
    super({ maxLookahead: 1 });
    this.#vocabulary = vocabulary;
  }

  override buildLookaheadForAlternation({ rule, prodOccurrence, hasPredicates }: Alternation): Choose {
    const kind = hasPredicates ? 'gated choice' : 'choice';
    const paths = getLookaheadPaths({
      occurrence: prodOccurrence,
      rule,
      prodType: 'Alternation',
      maxLookahead: 1,
    });
    const decision: Decision = { kind, alternatives: paths.map((path) => this.#tokensOf(path)) };
    const lookahead = chooser(decision, this.#vocabulary);
    decisions.set(lookahead, decision);
    return lookahead;
  }

  override buildLookaheadForOptional({ rule, prodOccurrence, prodType }: Optional): Enter {
    const [inside = []] = getLookaheadPaths({ occurrence: prodOccurrence, rule, prodType, maxLookahead: 1 });
    const decision: Decision = { kind: 'option', alternatives: [this.#tokensOf(inside)] };
    const lookahead = optionTest(decision, this.#vocabulary);
    decisions.set(lookahead, decision);
    return lookahead;
  }

  #tokensOf(paths: readonly (readonly TokenType[])[]): readonly number[] | null {
    const types = paths.flatMap(([type]) => type ?? []);
    return types.length < paths.length ? null : types.map((type) => this.#vocabulary.indexOf(type));
  }
}

interface Alternation {
  readonly rule: Rule;
  readonly prodOccurrence: number;
  readonly hasPredicates: boolean;
}

interface Optional {
  readonly rule: Rule;
  readonly prodOccurrence: number;
  readonly prodType: Exclude<LookaheadProductionType, 'Alternation'>;
}
