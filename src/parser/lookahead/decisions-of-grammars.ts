import type { TokenType } from 'chevrotain';
import { ConditionParser } from '../condition/grammar.js';
import { conditionTokens } from '../condition/tokens.js';
import { DotParser } from '../dot/grammar.js';
import { tokenTypes } from '../dot/tokens.js';
import { KeyListParser } from '../key-list/grammar.js';
import { keyListTokens } from '../key-list/tokens.js';
import { PropertyParser } from '../property/grammar.js';
import { propertyTokens } from '../property/tokens.js';
import { StylesheetParser } from '../stylesheet/grammar.js';
import { stylesheetTokens } from '../stylesheet/tokens.js';
import { decisionsOf } from './adopt-decisions.js';
import type { GrammarDecisions } from './decisions.js';
import type { GrammarOptions } from './grammar-options.js';
import { RecordingLookahead } from './recording-lookahead.js';

/** Decisions of all grammars by their analysis, to be stored in a bundle. */
export function decisionsOfGrammars(): GrammarDecisions {
  return {
    dot: decisionsOf(new DotParser(recording(tokenTypes))),
    condition: decisionsOf(new ConditionParser(recording(conditionTokens))),
    keyList: decisionsOf(new KeyListParser(recording(keyListTokens))),
    property: decisionsOf(new PropertyParser(recording(propertyTokens))),
    stylesheet: decisionsOf(new StylesheetParser(recording(stylesheetTokens))),
  };
}

function recording(vocabulary: readonly TokenType[]): GrammarOptions {
  return { skipValidations: true, lookaheadStrategy: new RecordingLookahead(vocabulary) };
}
