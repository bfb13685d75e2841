import { type ILookaheadStrategy, type IParserConfig, LLkLookaheadStrategy } from 'chevrotain';
import type { Decisions } from './decision.js';

export interface GrammarOptions {
  readonly skipValidations: boolean;
  /** Decisions from an earlier analysis of the same grammar; without them it is analysed again. */
  readonly decisions?: Decisions;
  /** Strategy of the analysis, if not that of the parser library. */
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
