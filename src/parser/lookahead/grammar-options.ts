import { type ILookaheadStrategy, type IParserConfig, LLkLookaheadStrategy } from 'chevrotain';
import type { Decisions } from './decision.js';

export interface GrammarOptions {
  readonly skipValidations: boolean;
  /** What the analysis of the same grammar has found before; without them it is analysed again. */
  readonly decisions?: Decisions;
  /** How the analysis finds them, if not in the way of the parser library. */
  readonly lookaheadStrategy?: ILookaheadStrategy;
}

/** All grammars here decide by one token. */
export function parserConfig({ skipValidations, lookaheadStrategy }: GrammarOptions): IParserConfig {
  const maxLookahead = 1;
  return {
    maxLookahead,
    skipValidations,
    lookaheadStrategy: lookaheadStrategy ?? new LLkLookaheadStrategy({ maxLookahead }),
  };
}
