import {
  EarlyExitException,
  type EmbeddedActionsParser,
  type IRecognitionException,
  type IToken,
  NoViableAltException,
  type TokenType,
} from 'chevrotain';
import { type Choose, chooser, type Decisions, type Enter, optionTest } from './decision.js';
import { decisionOf } from './recording-lookahead.js';

/**
 * Makes a parser ready without `performSelfAnalysis`, whose result is always the same. The analysis of the
 * three grammars takes some 15 ms, half of what `attractor lint` takes beyond the start of Node; the
 * bundler does it once. The library has no documented way to pass the result in: this is the only file that
 * writes its private fields.
 * @param decisions from an earlier analysis of the same grammar
 */
export function adoptDecisions(
  parser: EmbeddedActionsParser,
  vocabulary: readonly TokenType[],
  decisions: Decisions,
): void {
  const internals = internalsOf(parser);
  for (const [key, decision] of decisions) {
    const build = decision.kind === 'option' ? optionTest : chooser;
    internals.lookAheadFuncsCache.set(key, build(decision, vocabulary));
  }
  internals.selfAnalysisDone = true;
  // The library would list what it expected, for which it needs the analysis; each language has messages
  // for that.
  const message = 'no alternative begins with this token';
  internals.raiseNoAltException = () => {
    throw noted(internals, new NoViableAltException(message, internals.LA(1), internals.LA(0)));
  };
  internals.raiseEarlyExitException = () => {
    throw noted(internals, new EarlyExitException(message, internals.LA(1), internals.LA(0)));
  };
}

/** Decisions that the analysis of the grammar has found. */
export function decisionsOf(parser: EmbeddedActionsParser): Decisions {
  return [...internalsOf(parser).lookAheadFuncsCache].map(([key, lookahead]) => [key, decisionOf(lookahead)]);
}

/** Private fields of the library; its version is pinned, and a test reads with and without the analysis. */
interface Internals {
  readonly lookAheadFuncsCache: Map<number, Choose | Enter>;
  selfAnalysisDone: boolean;
  errors: readonly IRecognitionException[];
  raiseNoAltException: () => never;
  raiseEarlyExitException: () => never;
  LA(howMuch: number): IToken;
}

function internalsOf(parser: EmbeddedActionsParser): Internals {
  return parser as unknown as Internals;
}

function noted(internals: Internals, error: IRecognitionException): IRecognitionException {
  internals.errors = [...internals.errors, error];
  return error;
}
