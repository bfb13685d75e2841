import { describe, expect, test } from 'vitest';
import { applyFixes } from '../../../src/diagnostic/apply-fixes.js';
import { ConditionParser } from '../../../src/parser/condition/grammar.js';
import { parseCondition } from '../../../src/parser/condition/parse.js';
import { fc } from '../../support/fast-check.js';
import { marked } from '../marked.js';
import { outline } from './outline.js';

function parsed(text: string): string {
  const { condition, diagnostics } = parseCondition(text);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return outline(condition);
}

test('the grammar passes the checks of the parser library', () => {
  expect(() => new ConditionParser({ skipValidations: false })).not.toThrow();
});

describe('§10: equality clauses and &&', () => {
  test.each([
    ['outcome=success', "(= outcome 'success')"],
    ['outcome = fail', "(= outcome 'fail')"],
    ['outcome!=success', "(!= outcome 'success')"],
    ['preferred_label=Fix', "(= preferred_label 'Fix')"],
    [
      'outcome=success && context.tests_passed=true',
      "(and (= outcome 'success') (= context.tests_passed 'true'))",
    ],
    [
      'context.tool_stdout!=format_ok && context.tool_stdout!=fail_retries_exhausted',
      "(and (!= context.tool_stdout 'format_ok') (!= context.tool_stdout 'fail_retries_exhausted'))",
    ],
    ['a=1&&b=2&&c=3', "(and (= a '1') (= b '2') (= c '3'))"],
    ['context.internal.loop_restart_count!=0', "(!= context.internal.loop_restart_count '0')"],
    ['\n  outcome\n=\nsuccess\n', "(= outcome 'success')"],
  ])('%s', (text, expected) => expect(parsed(text)).toBe(expected));
});

describe('44, 44a: the right side of = and != is a literal', () => {
  test.each([
    ['context.x="a"', '(= context.x "a")'],
    ['context.x=""', '(= context.x "")'],
    ['context.x="a && b=c != d || e"', '(= context.x "a && b=c != d || e")'],
    ['context.x="say \\"hi\\" in C:\\\\" && y', '(and (= context.x "say "hi" in C:\\") (truthy y))'],
    ['context.x="\\d"', '(= context.x "\\d")'],
    ['context.x=two words', "(= context.x 'two words')"],
    ['context.x=  a  b  ', "(= context.x 'a  b')"],
    ['context.url=http://x/y?a=b', "(= context.url 'http://x/y?a=b')"],
    ['context.url=http://x/y?a=b&c=d|e', "(= context.url 'http://x/y?a=b&c=d|e')"],
    ['context.x!=!y', "(!= context.x '!y')"],
    ['context.x=[a, b]', "(= context.x '[a, b]')"],
    ['context.x=f(a, g(b)) && y', "(and (= context.x 'f(a, g(b))') (truthy y))"],
    ['(context.x=f(a))', "(= context.x 'f(a)')"],
    ['context.x=context.y', "(= context.x 'context.y')"],
    ['context.x=true', "(= context.x 'true')"],
    ['context.x=-12', "(= context.x '-12')"],
    ['context.x=rock and roll', "(= context.x 'rock and roll')"],
  ])('%s', (text, expected) => expect(parsed(text)).toBe(expected));
});

describe('44c: keys', () => {
  test.each([
    ['human.gate.selected=A', "(= human.gate.selected 'A')"],
    ['graph.goal=x', "(= graph.goal 'x')"],
    ['context.items.0.name=x', "(= context.items.0.name 'x')"],
    ['context.in=1', "(= context.in '1')"],
    ['context.not.exists=1', "(= context.not.exists '1')"],
    ['in=1 && true!=2 && exists=3', "(and (= in '1') (!= true '2') (= exists '3'))"],
    ['exists exists', '(exists exists)'],
    ['not in [true]', "(in not ['true'])"],
    ['true in [1] || false contains x', "(or (in true ['1']) (contains false 'x'))"],
    ['existsing=1', "(= existsing '1')"],
    ['__proto__=1 && constructor=2', "(and (= __proto__ '1') (= constructor '2'))"],
  ])('%s', (text, expected) => expect(parsed(text)).toBe(expected));
});

describe('§12 Condition language: the superset', () => {
  test.each([
    ['true', 'true'],
    ['!false', '(not false)'],
    ['context.ready', '(truthy context.ready)'],
    ['"x" && 0', `(and (truthy "x") (truthy '0'))`],
    ['exists context.a.0', '(exists context.a.0)'],
    ['a=1 || b=2 && c=3', "(or (= a '1') (and (= b '2') (= c '3')))"],
    ['(a=1 || b=2) && c=3', "(and (or (= a '1') (= b '2')) (= c '3'))"],
    ['!(a=1) && !!b', "(and (not (= a '1')) (not (not (truthy b))))"],
    ['!a=1', "(not (= a '1'))"],
    ['((a))', '(truthy a)'],
    ['context.n > 3', "(> context.n '3')"],
    ['context.n<=-3.5', "(<= context.n '-3.5')"],
    ['3 < context.n', "(< '3' context.n)"],
    ['context.a >= context.b', '(>= context.a context.b)'],
    ['outcome in [success, partial_success]', "(in outcome ['success' 'partial_success'])"],
    ['a not in [1, "b c", tool.output, [x]]', `(not in a ['1' "b c" tool.output ['x']])`],
    ['"a" in context.tags', '(in "a" context.tags)'],
    ['context.model in [gpt-5.2, claude-*]', "(in context.model ['gpt-5.2' 'claude-*'])"],
    ['context.log contains error', "(contains context.log 'error')"],
    ['context.log matches "^\\d+$"', '(matches context.log "^\\d+$")'],
    ['context.log matches ^ok|fine$', "(matches context.log '^ok|fine$')"],
    ['context.log matches context.pattern', '(matches context.log context.pattern)'],
  ])('%s', (text, expected) => expect(parsed(text)).toBe(expected));

  test.each([
    'context.a',
    'state.a',
    'inputs.a',
    'graph.a',
    'internal.a',
    'result.a',
    'parallel.a',
    'human.a',
    'tool.a',
    'work.a',
  ])('a bare word in a known namespace is a key on the right: %s', (key) =>
    expect(parsed(`x < ${key}`)).toBe(`(< x ${key})`),
  );
});

test.each(['', ' ', '\n\t '])('blank text is unconditional: %j', (text) => {
  expect(parseCondition(text)).toEqual({ diagnostics: [] });
});

describe('errors are placed and explained', () => {
  test.each([
    // SEMANTICS 44h: empty clauses
    ['a=b «&&» ', 'found the end of the condition; expected a clause'],
    ['«&&» a=b', 'found "&&"; expected a clause such as "outcome=success"'],
    ['a=b && «&&» c=d', 'found "&&"; expected a clause'],
    ['a=b || «||» c=d', 'found "||"; expected a clause'],
    ['(«)»', 'found ")"; expected a clause'],
    ['«!»', 'expected a clause or "(" after "!"'],
    // SEMANTICS 44d: empty literals
    ['context.x«=»', 'expected a value (write "" for the empty text) after "="'],
    ['context.x= «&&» y=1', 'found "&&"; expected a value (write "" for the empty text) after "="'],
    ['(context.x!=«)»', 'found ")"; expected a value'],
    ['a = «=» b', 'found "="; expected a value'],
    // operators
    ['«=»a', 'found "="; expected a clause'],
    ['a «b»', 'expected an operator such as "=", "&&", "||" or the end of the condition'],
    ['(a «b»)', '"&&", "||" or ")"'],
    ['a «===» b', '"===" is not an operator; write "="'],
    ['a «<>» b', '"<>" is not an operator; write "!="'],
    ['a «=>» 3', '"=>" is not an operator; write ">="'],
    ['a «=~» x', '"=~" is not an operator; write "matches"'],
    ['a «gt» 3', '"gt" is not an operator; write ">"'],
    ['a >= «=» b', 'found "="; expected a key, a number, a text or a list after ">="'],
    ['a «in»', 'expected a key, a number, a text or a list after "in"'],
    ['a not «b»', 'expected "in" after "not"'],
    ['a contains two «words»', 'put a text of several words in double quotes'],
    // words in place of operators
    ['outcome=success «and» context.x=1', '"and" is not an operator; write "&&"'],
    ['outcome=success «OR» !exists context.x', '"OR" is not an operator; write "||"'],
    ['outcome=success «&» outcome=fail', '"&" is not an operator; write "&&"'],
    ['ready «and» steady', '"and" is not an operator; write "&&"'],
    ['«not» outcome=fail', 'write "!" before a clause'],
    ['a=b && «not» c', 'write "!" before a clause'],
    // parentheses, lists and texts
    ['«(»(a=b)', '"(" is not closed; expected ")"'],
    ['(a=b)«)»', 'found ")" without a "(" before it'],
    ['a=b«)» && c=d', 'found ")" without a "(" before it'],
    ['a in «[»b', '"[" is not closed; expected "]"'],
    ['a in [b «c»]', 'expected "," or "]"'],
    ['a in [«]»', 'expected an item of the list'],
    ['a in [b, «]»', 'expected an item of the list'],
    ['context.x=«"abc»', 'has no closing double quote'],
    ['context.x="a" «b»', 'found "b"; expected "&&", "||" or the end of the condition'],
    ['context.x=say «"hi"»', 'put the whole value in double quotes'],
    // keys
    ['«context.foo-bar»=1', '"context.foo-bar" is not a key'],
    ['«a..b»=1', '"a..b" is not a key'],
    ['exists «3»', '"3" is not a key'],
    ['x < «context.»', '"context." is not a key'],
    // regular expressions
    ['a matches «"(b"»', 'missing closing )'],
    ['a matches «"(?=b)"»', 'look-around and back-references are not supported'],
    ['a matches «"(b)\\1"»', 'look-around and back-references are not supported'],
    ['a matches «"((x{100}){100}){100}"»', 'invalid repeat count'],
    ['a matches «[a-z]»', 'found a list after "matches"'],
    ['a matches «(»b|c)', 'expected a regular expression in double quotes after "matches"'],
    [`a matches «"${'x'.repeat(1001)}"»`, 'it has 1001 characters, the limit is 1000'],
    // nesting
    [`${'('.repeat(200)}«(»a${')'.repeat(201)}`, 'nested more than 200 levels deep'],
    [`${'!'.repeat(200)}«!»a`, 'nested more than 200 levels deep'],
    [`${'!('.repeat(100)}«!»a${')'.repeat(100)}`, 'nested more than 200 levels deep'],
    [`a in ${'['.repeat(200)}«[»a${']'.repeat(201)}`, 'nested more than 200 levels deep'],
    // only the first of several errors
    ['«a-b»=1 && c-d=2 &&', '"a-b" is not a key'],
  ])('%s', (markedText, message) => {
    const { text, span } = marked(markedText);
    const { condition, diagnostics } = parseCondition(text);
    expect(condition).toBeUndefined();
    expect(diagnostics).toEqual([
      expect.objectContaining({
        rule: 'condition_syntax',
        severity: 'error',
        message: expect.stringContaining(message),
        span,
      }),
    ]);
  });

  test.each([
    ['a === b', 'a = b'],
    ['a<>b', 'a!=b'],
    ['a => 3', 'a >= 3'],
    ['a gt 3', 'a > 3'],
    ['outcome=success and context.x=1', 'outcome=success && context.x=1'],
    ['ready or steady', 'ready || steady'],
  ])('%s is another language for %s', (text, expected) => {
    const fixed = applyFixes(text, parseCondition(text).diagnostics).text;
    expect(fixed).toBe(expected);
    expect(parseCondition(fixed).diagnostics).toEqual([]);
  });

  test.each(['a =~ b', 'a has b', 'a match b'])('what %s is to be, a person has to say', (text) => {
    expect(applyFixes(text, parseCondition(text).diagnostics).text).toBe(text);
  });
});

describe('what is accepted with a remark', () => {
  test.each([
    ['context.x«==»"a"', 'condition_double_equals', 'warning', '='],
    ['context.x=«two words»', 'condition_syntax', 'info', '"two words"'],
    ["context.x=«'a'»", 'condition_syntax', 'warning', '"a"'],
    ["context.x in [«'a'»]", 'condition_syntax', 'warning', '"a"'],
  ])('%s', (markedText, rule, severity, replacement) => {
    const { text, span } = marked(markedText);
    const { condition, diagnostics } = parseCondition(text);
    expect(condition).toBeDefined();
    expect(diagnostics).toEqual([expect.objectContaining({ rule, severity, span })]);
    expect(diagnostics[0]?.fix?.edits).toEqual([{ span, text: replacement }]);
  });

  test('what is compared may be meant with its single quotes, so that nothing takes them away unasked', () => {
    expect(parseCondition("context.x='a'").diagnostics[0]?.fix?.unsafe).toBe(true);
  });

  test('it comes before an error that lies behind it', () => {
    const { diagnostics } = parseCondition('a == b && ');
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['condition_double_equals', 'condition_syntax']);
  });
});

describe('spans', () => {
  test.each<[string, (condition: ReturnType<typeof parseCondition>['condition']) => unknown]>([
    ['a && «b = c  d» && e', (condition) => condition?.kind === 'and' && condition.operands[1]?.span],
    [
      'a && !«(b)»',
      (condition) =>
        condition?.kind === 'and' &&
        condition.operands[1]?.kind === 'not' && {
          start: condition.operands[1].operand.span.start - 1,
          end: condition.operands[1].span.end,
        },
    ],
    ['«(a) || (b)»', (condition) => condition?.span],
    ['a in «[ b, c ]»', (condition) => condition?.kind === 'comparison' && condition.right.span],
    ['exists «context.a»', (condition) => condition?.kind === 'exists' && condition.key.span],
  ])('%s', (markedText, pick) => {
    const { text, span } = marked(markedText);
    expect(pick(parseCondition(text).condition)).toEqual(span);
  });
});

test('a condition of 20 000 clauses, right or wrong, needs no deep stack', () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `context.k${index}=v`).join(' && ');
  const { condition } = parseCondition(text);
  expect(condition?.kind === 'and' && condition.operands.length).toBe(20_000);
  expect(parseCondition(`${text} &&`).diagnostics).toHaveLength(1);
});

test('every text gives a condition or errors within the text, and nothing is thrown', () => {
  const pieces = [
    'a',
    'context.x',
    '=',
    '==',
    '!=',
    '<',
    '>=',
    '&&',
    '||',
    '!',
    '(',
    ')',
    '[',
    ']',
    ',',
    '"',
    '"q"',
    '\\',
    ' ',
    '\n',
    'not',
    'in',
    'exists',
    'true',
    'matches',
    'contains',
    '3',
    '&',
    '|',
    'é',
    '😀',
  ];
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...pieces)).map((words) => words.join('')),
    fc.array(fc.constantFrom(...pieces)).map((words) => words.join(' ')),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { condition, diagnostics } = parseCondition(text);
      const failed = diagnostics.some(({ severity }) => severity === 'error');
      expect(condition === undefined).toBe(failed || text.trim() === '');
      for (const { span, message } of diagnostics) {
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.end).toBeGreaterThan(span.start);
        expect(span.end).toBeLessThanOrEqual(text.length);
        expect(message).not.toMatch(/undefined|\.$/);
      }
    }),
    { numRuns: 1000 },
  );
});
