import { Lexer } from 'chevrotain';
import { describe, expect, test } from 'vitest';
import { ConditionParser } from '../../../src/parser/condition/grammar.js';
import { conditionTokens } from '../../../src/parser/condition/tokens.js';
import { createActions } from '../../../src/parser/dot/actions.js';
import { DotParser } from '../../../src/parser/dot/grammar.js';
import { createNodeNames } from '../../../src/parser/dot/node-names.js';
import { createReport } from '../../../src/parser/dot/report.js';
import { tokenize } from '../../../src/parser/dot/tokenize.js';
import { KeyListParser } from '../../../src/parser/key-list/grammar.js';
import { keyListTokens } from '../../../src/parser/key-list/tokens.js';
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
  keyList: new KeyListParser(options),
  stylesheet: new StylesheetParser(options),
};
const prepared = {
  dot: new DotParser({ ...options, decisions: decisions.dot }),
  condition: new ConditionParser({ ...options, decisions: decisions.condition }),
  keyList: new KeyListParser({ ...options, decisions: decisions.keyList }),
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

  const keyListLexer = new Lexer([...keyListTokens], forShortTexts);

  test.each([
    'a b',
    'a: string = 1',
    'a: x|"y" ?',
    'a = [1, {"b": [true, null]}]',
    'a: ',
    'a = [1',
    '= 3',
    'a b: c|',
  ])('reads the key list %s as before', (text) => {
    expect(read(prepared.keyList)).toEqual(read(analysed.keyList));

    function read(parser: KeyListParser): unknown {
      const result = parser.parse(keyListLexer.tokenize(text).tokens);
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
