import { ConditionParser } from '../condition/grammar.js';
import { DotParser } from '../dot/grammar.js';
import { StylesheetParser } from '../stylesheet/grammar.js';
import { decisionsOf } from './adopt-decisions.js';
import type { GrammarDecisions } from './decisions.js';

/** The decisions of all grammars, as their analysis finds them: what a bundle carries along. */
export function decisionsOfGrammars(): GrammarDecisions {
  const options = { skipValidations: true };
  return {
    dot: decisionsOf(new DotParser(options)),
    condition: decisionsOf(new ConditionParser(options)),
    stylesheet: decisionsOf(new StylesheetParser(options)),
  };
}
