import type { IParserConfig, TokenType } from 'chevrotain';
import type { Decisions } from './decision.js';
import { RecordedLookahead } from './recorded-lookahead.js';

export interface GrammarOptions {
  readonly skipValidations: boolean;
  /** What the analysis of the same grammar has found before; without them it is analysed anew. */
  readonly decisions?: Decisions;
}

/** All grammars here decide by one token. */
export function parserConfig(
  vocabulary: readonly TokenType[],
  { skipValidations }: GrammarOptions,
): IParserConfig {
  return { maxLookahead: 1, skipValidations, lookaheadStrategy: new RecordedLookahead(vocabulary) };
}
