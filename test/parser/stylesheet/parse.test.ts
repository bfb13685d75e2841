import { describe, expect, test } from 'vitest';
import { applyFixes } from '../../../src/diagnostic/apply-fixes.js';
import type { Stylesheet } from '../../../src/parser/stylesheet/ast.js';
import { StylesheetParser } from '../../../src/parser/stylesheet/grammar.js';
import { parseStylesheet } from '../../../src/parser/stylesheet/parse.js';
import { fc } from '../../support/fast-check.js';
import { marked } from '../marked.js';

/** A stylesheet in one spelling: `kind name: property=value …`, a rule a line. */
function outline(stylesheet: Stylesheet | undefined): readonly string[] {
  return (stylesheet?.rules ?? []).map(({ selector, declarations }) => {
    const properties = declarations.map(({ property, value }) => `${property}=${value}`);
    return `${[selector.kind, selector.name].join(' ').trim()}: ${properties.join(' ')}`;
  });
}

test('the grammar passes the checks of the parser library', () => {
  expect(() => new StylesheetParser({ skipValidations: false })).not.toThrow();
});

describe('what is read', () => {
  test.each<readonly [string, readonly string[]]>([
    ['', []],
    [' \n ', []],
    ['/* nothing */', []],
    [
      `* { llm_model: claude-sonnet-4-5; llm_provider: anthropic; }
       .code { llm_model: claude-opus-4-6; llm_provider: anthropic; }
       #critical_review { llm_model: gpt-5.2; llm_provider: openai; reasoning_effort: high; }`,
      [
        'universal: llm_model=claude-sonnet-4-5 llm_provider=anthropic',
        'class code: llm_model=claude-opus-4-6 llm_provider=anthropic',
        'id critical_review: llm_model=gpt-5.2 llm_provider=openai reasoning_effort=high',
      ],
    ],
    // §11.10, SEMANTICS 45
    ['box { model = "claude-opus-4-6" }', ['shape box: llm_model=claude-opus-4-6']],
    ['.fast{provider="gemini"}', ['class fast: llm_provider=gemini']],
    ['*{llm_model:a;llm_provider:b}', ['universal: llm_model=a llm_provider=b']],
    ["* { llm_model: 'a b'; }", ['universal: llm_model=a b']],
    ['* { llm_model: "a;}\\"\\\\" }', ['universal: llm_model=a;}"\\']],
    ['* { llm_model: ""; }', ['universal: llm_model=']],
    ['* { llm_model: claude-sonnet-*; }', ['universal: llm_model=claude-sonnet-*']],
    ['* { llm_model: org/model:8b }', ['universal: llm_model=org/model:8b']],
    ['* { llm_model: two words }', ['universal: llm_model=two words']],
    ['.loop-a-2 { x: y }', ['class loop-a-2: x=y']],
    ['* { max_tokens: 100; x-y: z }', ['universal: max_tokens=100 x-y=z']],
    ['* { x: 1; x: 2 }', ['universal: x=1 x=2']],
    ['/* a */*/* { */{/* b */x/* c */:/* d */y/* e */;/* f */}/* g */', ['universal: x=y']],
    ['__proto__ { constructor: x }', ['shape __proto__: constructor=x']],
  ])('%s', (text, expected) => {
    const { stylesheet, diagnostics } = parseStylesheet(text);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(outline(stylesheet)).toEqual(expected);
  });
});

describe('errors are placed and explained', () => {
  test.each([
    // SEMANTICS 46a: compound and grouped selectors
    ['a«,» b { x: y }', 'found "," after the selector "a"; selectors cannot be combined'],
    ['.a«.b» { x: y }', 'selectors cannot be combined'],
    ['.a «.b» { x: y }', 'selectors cannot be combined'],
    ['box«#a» { x: y }', 'selectors cannot be combined'],
    ['a«>»b { x: y }', 'found ">"; expected "{" after the selector "a"'],
    ['«#my-node» { x: y }', '"#my-node" cannot select a node'],
    ['«@»media { x: y }', 'expected a selector: "*", a shape, ".class" or "#id"'],
    ['«llm_model»', 'expected "{" after the selector "llm_model"'],
    ['a { x: y }«}»', 'found "}"; expected a selector'],
    // §8.2: a rule has a declaration
    ['a {«}»', 'found a rule without declarations'],
    ['a { «;» }', 'found ";"; expected a property'],
    ['a { x: y; «;» }', 'found ";"; expected a property or "}"'],
    ['a { x «}»', 'expected ":" and a value after the property "x"'],
    ['a { x: «;» }', 'found ";"; expected a value'],
    ['a { x: «}»', 'found "}"; expected a value'],
    // a forgotten ; or }
    ['a { x: y\n  «z»: w }', 'found "z"; expected ";" or "}" after the value'],
    ['a { x: y «z»: w }', 'found "z"; expected ";" or "}" after the value'],
    ['a { x: "y" «"z"» }', 'expected ";" or "}" after the value'],
    ['a { x: y .b «{» z: w }', 'found "{"; expected ";" or "}" after the value'],
    ['a «{» x: y', 'the rule that begins here is not closed'],
    ['a «{»', 'found the end of the stylesheet; expected a property'],
    ['a { x: y«;»', 'found the end of the stylesheet; expected a property or "}"'],
    // texts and comments
    ['a { x: «"y }»', 'has no closing quote'],
    ['«/* a»', 'the comment that begins here has no closing "*/"'],
    ['a { x: y «/* }»', 'the comment that begins here has no closing "*/"'],
    ['«//» a', 'comments in a stylesheet are written /* … */'],
  ])('%s', (markedText, message) => {
    const { text, span } = marked(markedText);
    expect(parseStylesheet(text)).toEqual({
      diagnostics: [
        { rule: 'stylesheet_syntax', severity: 'error', message: expect.stringContaining(message), span },
      ],
    });
  });
});

describe('what is accepted with a remark', () => {
  test.each([
    ['* { «model»: x }', 'info', 'llm_model'],
    ['* { «provider»: x }', 'info', 'llm_provider'],
    ['* { llm_model «=» x }', 'info', ':'],
    ['«.Code_X» { llm_model: x }', 'warning', undefined],
  ])('%s', (markedText, severity, replacement) => {
    const { text, span } = marked(markedText);
    const { stylesheet, diagnostics } = parseStylesheet(text);
    expect(stylesheet?.rules).toHaveLength(1);
    expect(diagnostics).toEqual([expect.objectContaining({ rule: 'stylesheet_syntax', severity, span })]);
    expect(diagnostics[0]?.fix?.edits).toEqual(
      replacement === undefined ? undefined : [{ span, text: replacement }],
    );
  });

  test('signs of equality are one finding, and its fix writes them all', () => {
    const text = '* { llm_model = x; x: y } .a { model = z }';
    const { diagnostics } = parseStylesheet(text);
    expect(diagnostics.map(({ code }) => code)).toEqual(['equals_sign', 'property_alias']);
    expect(applyFixes(text, diagnostics).text).toBe('* { llm_model : x; x: y } .a { llm_model : z }');
  });
});

test('spans cover what was written', () => {
  const text = ' .a { model : "x" ; y=z } #b{w:v}';
  const slice = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
  const places = parseStylesheet(text).stylesheet?.rules.map(({ span, selector, declarations }) => [
    slice(span),
    slice(selector.span),
    ...declarations.map(({ propertySpan, valueSpan }) => `${slice(propertySpan)} ${slice(valueSpan)}`),
  ]);
  expect(places).toEqual([
    ['.a { model : "x" ; y=z }', '.a', 'model "x"', 'y z'],
    ['#b{w:v}', '#b', 'w v'],
  ]);
});

test('every text gives a stylesheet or errors within the text, and nothing is thrown', () => {
  const pieces = [
    '*',
    'box',
    '.a',
    '#b',
    '{',
    '}',
    ':',
    '=',
    ';',
    ',',
    '"',
    "'",
    '"q"',
    '/*',
    '*/',
    '//',
    ' ',
    '\n',
    'llm_model',
    'model',
    '\\',
    'é',
  ];
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...pieces)).map((words) => words.join('')),
    fc.array(fc.constantFrom(...pieces)).map((words) => words.join(' ')),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { stylesheet, diagnostics } = parseStylesheet(text);
      expect(stylesheet === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
      for (const { span, message } of diagnostics) {
        expect(span.end).toBeGreaterThan(span.start);
        expect(span.end).toBeLessThanOrEqual(text.length);
        expect(message).not.toContain('undefined');
      }
    }),
    { numRuns: 1000 },
  );
});

test('a stylesheet of 20 000 rules needs no deep stack', () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `#n${index} { llm_model: m${index}; }`).join(
    '\n',
  );
  expect(parseStylesheet(text).stylesheet?.rules).toHaveLength(20_000);
});
