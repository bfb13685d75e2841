import { Lexer } from 'chevrotain';
import { describe, expect, test } from 'vitest';
import { ConditionParser } from '../../../src/parser/condition/grammar.js';
import { conditionTokens } from '../../../src/parser/condition/tokens.js';
import { createActions } from '../../../src/parser/dot/actions.js';
import { DotParser } from '../../../src/parser/dot/grammar.js';
import { createNodeNames } from '../../../src/parser/dot/node-names.js';
import { createReport } from '../../../src/parser/dot/report.js';
import { tokenize } from '../../../src/parser/dot/tokenize.js';
import { forShortTexts } from '../../../src/parser/lexer-config.js';
import type { GrammarDecisions } from '../../../src/parser/lookahead/decisions.js';
import { decisionsOfGrammars } from '../../../src/parser/lookahead/decisions-of-grammars.js';
import { StylesheetParser } from '../../../src/parser/stylesheet/grammar.js';
import { stylesheetTokens } from '../../../src/parser/stylesheet/tokens.js';
import { fixturesIn } from '../../support/fixtures.js';

/** As they are in the published package. */
const decisions: GrammarDecisions = JSON.parse(JSON.stringify(decisionsOfGrammars()));

const options = { skipValidations: true };
const analysed = {
  dot: new DotParser(options),
  condition: new ConditionParser(options),
  stylesheet: new StylesheetParser(options),
};
const prepared = {
  dot: new DotParser({ ...options, decisions: decisions.dot }),
  condition: new ConditionParser({ ...options, decisions: decisions.condition }),
  stylesheet: new StylesheetParser({ ...options, decisions: decisions.stylesheet }),
};

describe('a parser that is handed the decisions of its grammar', () => {
  test.each(fixturesIn('syntax').map(({ name, text }) => [name, text]))('reads %s as before', (_, text) => {
    expect(readDot(prepared.dot, text)).toEqual(readDot(analysed.dot, text));
  });

  const conditionLexer = new Lexer([...conditionTokens], forShortTexts);

  test.each([
    'outcome=success && !(context.a < 3 || exists b)',
    'x not in [a, "b", 3] && true',
    'true = 1 || false',
    'a contains b && c matches "d"',
    'x in []',
    'x not [a]',
    '(x',
    'x &&',
    '&& x',
    'x = = 1',
    'exists a-b',
    'exists',
    'a b',
  ])('reads the condition %s as before', (text) => {
    expect(read(prepared.condition)).toEqual(read(analysed.condition));

    function read(parser: ConditionParser): unknown {
      const result = parser.parse(conditionLexer.tokenize(text).tokens);
      return [result, parser.errors.map(({ name, token }) => [name, token.image])];
    }
  });

  const stylesheetLexer = new Lexer([...stylesheetTokens], forShortTexts);

  test.each([
    '* { llm_model: x; llm_provider = "y" } .code { model: z } #a { } box { model: x; }',
    '* { model }',
    '* { model: }',
    '* { model: x',
    '* model: x',
    'a, b { model: x }',
    '} * { model: x }',
    '{',
  ])('reads the stylesheet %s as before', (text) => {
    expect(read(prepared.stylesheet)).toEqual(read(analysed.stylesheet));

    function read(parser: StylesheetParser): unknown {
      const result = parser.parse(stylesheetLexer.tokenize(text).tokens);
      return [result, parser.errors.map(({ name, token }) => [name, token.image])];
    }
  });
});

function readDot(parser: DotParser, text: string): unknown {
  const report = createReport(text);
  const { tokens } = tokenize(text);
  const actions = createActions(createNodeNames(tokens), report);
  parser.parse(tokens, actions);
  return [actions.finish(), report.diagnostics()];
}
