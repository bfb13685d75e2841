import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { parseCondition } from '../../src/parser/condition/parse.js';
import { parseDot } from '../../src/parser/dot/parse.js';
import { parseKeyList } from '../../src/parser/key-list/parse.js';
import { parseProperty } from '../../src/parser/property/parse.js';
import { parseStylesheet } from '../../src/parser/stylesheet/parse.js';
import { parseTemplate } from '../../src/parser/template/parse.js';
import { root } from '../docs/markdown.js';
import { fc } from '../support/fast-check.js';
import { fixturesIn } from '../support/fixtures.js';
import { ebnfOf, grammarOf, type Language, languages } from './languages.js';
import { isDerivable } from './recognize.js';
import { sentences } from './sentences.js';

/*
 * The grammars are the productions above the parsers' own rules, and they say exactly what the parsers accept: whatever
 * is derived from them is read without an error, and of what people write (after a byte order mark, if any), the parser accepts what can
 * be derived and nothing else.
 */

describe.each(languages)('the grammar $name', (language) => {
  it('is what the parser says', async () => {
    await expect(ebnfOf(language)).toMatchFileSnapshot(path.join(root, `grammar/${language.name}.ebnf`));
  });

  it('has sentences that the parser reads', () => {
    const { errorsIn, join, special = {} } = readers[language.name] ?? unknown(language);
    const grammar = grammarOf(language);
    fc.assert(
      fc.property(
        fc.tuple(sentences(grammar, special), fc.infiniteStream(fc.nat())),
        ([sentence, choices]) => {
          const text = join(sentence, choices);
          expect(errorsIn(text)).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each(cases().filter(([name]) => name === language.name))('%s: %s', (_name, text) => {
    const { errorsIn } = readers[language.name] ?? unknown(language);
    const isRead = errorsIn(text).length === 0;
    expect(isDerivable(grammarOf(language), language.layout, text.replace(/^\uFEFF/, ''))).toBe(isRead);
  });
});

interface Reader {
  errorsIn(text: string): readonly string[];
  /** Puts the tokens of a sentence together, with something between them. */
  join(tokens: readonly string[], choices: Iterator<number>): string;
  /** Tokens of which the notation cannot say everything. */
  readonly special?: Readonly<Record<string, fc.Arbitrary<string>>>;
}

const readers: Readonly<Record<string, Reader>> = {
  dot: {
    errorsIn: (text) => messagesOf(parseDot(text).diagnostics),
    join: joinWith([' ', '\n', '\t \r\n', ' // it\'s "text"\n', '/* a -> b; ** */ ']),
    special: { BareWord: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.:-]{0,9}$/) },
  },
  condition: {
    errorsIn: (text) => messagesOf(parseCondition(text).diagnostics),
    join: joinWith([' ', '\n', '  ']),
    special: {
      Key: fc.stringMatching(/^(?:context|outcome|tool|x_1|in|matches|true)(?:\.[a-z_]{1,5}|\.[0-9]){0,3}$/),
      Bare: fc
        .stringMatching(/^[a-z0-9.:;@#$%^*/'-]{1,8}$/)
        .filter((word) => !/[?*+]|^(?:context|state)/.test(word)),
      Pattern: fc.constantFrom('"^a+$"', 'a.c', '"\\\\d{2} x"', 'context.pattern'),
      BareLiteral: fc.constantFrom(
        'success',
        'two words',
        'f(x)',
        "it's",
        'a=b',
        '[1, 2]',
        '-1.5',
        'é😀',
        '<3',
      ),
    },
  },
  stylesheet: {
    errorsIn: (text) => messagesOf(parseStylesheet(text).diagnostics),
    join: joinWith([' ', '\n', '/* { } */']),
    special: { BareValue: fc.constantFrom('gpt-5.2', 'claude-*', 'two words', 'a/b:c', 'é😀', '0') },
  },
  'key-list': {
    errorsIn: (text) =>
      messagesOf(
        parseKeyList(text).diagnostics.filter(({ code = '' }) => !/^(?:repeated_|default_type)/.test(code)),
      ),
    join: joinWith([' ', '\n', '  ']),
    special: {
      Key: fc.stringMatching(/^[a-z_][a-z0-9_-]{0,5}(?:\.[a-z0-9]{1,3}){0,2}$/),
      ChoiceWord: fc.constantFrom('low', 'high', '1', 'a-b', 'String'),
      BareWord: fc.constantFrom('low', 'src/a.ts', 'é😀', '1.10', '-', 'true', 'f(x)'),
      String: fc.constantFrom('""', '"a b"', '"\\u00e4\\n"', '"]"', '"é😀"'),
    },
  },
  property: {
    errorsIn: (text) => messagesOf(parseProperty(text).diagnostics),
    join: joinWith([' ', '\n', '  ']),
    special: {
      Word: fc.constantFrom('review', 'run', 'end', 'last', 'LLM', 'a-b', 'é😀', 'most', 'nothing'),
    },
  },
  template: {
    errorsIn: () => [],
    join: (tokens) => tokens.join(''),
  },
};

function unknown({ name }: Language): never {
  throw new Error(`nobody reads ${name}`);
}

function messagesOf(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}

/** Puts something between tokens: always between words, else now and then. */
function joinWith(gaps: readonly string[]): Reader['join'] {
  return (tokens, choices) =>
    tokens
      .map((token, index) => {
        const choice = Number(choices.next().value);
        const gap = gaps[choice % gaps.length] ?? ' ';
        const mayTouch = /^[[\]{},;=]$/.test(token) || /^[[\]{},;]$/.test(tokens[index - 1] ?? '');
        return mayTouch && choice % 2 === 0 ? token : `${gap}${token}`;
      })
      .join('');
}

function cases(): readonly (readonly [language: string, text: string])[] {
  const files = [
    ...fixturesIn('syntax').map(({ text }) => text),
    ...readdirSync(path.join(root, 'examples'))
      .filter((name) => name.endsWith('.dot'))
      .map((name) => readFileSync(path.join(root, 'examples', name), 'utf8')),
  ];
  return [
    ...files.map((text) => ['dot', text] as const),
    ...Object.entries(snippets).flatMap(([name, texts]) => texts.map((text) => [name, text] as const)),
  ];
}

/** What people write, right and wrong. */
const snippets: Readonly<Record<string, readonly string[]>> = {
  dot: [
    'digraph g {}',
    'digraph g {};',
    'digraph g {} ;;',
    'digraphg {}',
    'digraph g { a; }',
    'digraph g { a->b->c [x=1]; }',
    'digraph g { a -> b c }',
    'digraph g { a [x=1 y=2] }',
    'digraph g { a [x=1, y=2,] }',
    'digraph g { a [] }',
    'digraph g { a [x=1] [y=2] }',
    'digraph g { "a" }',
    'digraph g { a-b }',
    'digraph g { a.b = 1 }',
    'digraph g { "a.b" = 1; graph = 2; node [subgraph=3] }',
    'digraph g { node }',
    'digraph g { graph }',
    'digraph g { subgraph { a } subgraph x { subgraph { b -> c } }; }',
    'digraph g { subgraph = 1 }',
    'digraph g { { a } }',
    'digraph g { a -> { b } }',
    'digraph g { a -- b }',
    'digraph g { a [x=gpt-5.4, y=a:b, z=-1.5, u=.5, v=3d, w=true] }',
    'digraph g { a [x=5.] }',
    'digraph g { a [x=900sx] }',
    'digraph g { a [x=3.5-turbo] }',
    'digraph g { a [x=a->b] }',
    'digraph g { x=a\nb=c }',
    'digraph g { a [x="\\d \\" \\\n"] }',
    'digraph g { a [x="1" + "2"] }',
    'digraph g { a [x=<b>] }',
    'digraph g { a:n }',
    'digraph g { Node; strict; Digraph }',
    'digraph g { é }',
    'strict digraph g {}',
    'Digraph g {}',
    'digraph {}',
    'graph g {}',
    'digraph node {}',
    'digraph g { a /* b',
    'digraph g { a } b',
    'digraph g { a; ; }',
    'digraph g { a = }',
    '',
  ],
  property: [
    'publish only after approve = yes since the last implement',
    'every run that reaches class deploy has passed test',
    'every run  that\ncompletes has review or waive = no',
    'never more than 40 LLM stages',
    'at most 3 stages of class slow before done',
    'after fetch, no stage of class network before redact',
    'after fetch no upload',
    'after a = "since the last", b failed before the end',
    'never "never"',
    'never never',
    'never',
    'at most few stages',
    'publish',
    'publish only after',
    'publish only when tested',
    'after a, b',
    'after a, b before the end c',
    'every run that completes has',
    'every run completes',
    'a = b only after c = = d',
    'LLM stages stages only after a',
    'class only after a',
    '"a only after b',
    '',
  ],
  condition: [
    'outcome=success',
    'outcome = success && context.x!=two words',
    'context.x="a && b" || !(outcome!=fail)',
    'a-b=1',
    'context.n > 3',
    'context.n >',
    '3 < context.n',
    'context.n >= context.m',
    'context.n >= context.m-1',
    'x in [a, "b", 3]',
    'x not in [context.y]',
    'x in []',
    'x not [a]',
    'x matches "^a+$"',
    'x contains y',
    'exists context.a.0',
    'exists',
    'exists a-b',
    'true',
    'true && false',
    'true = 1',
    '!!x',
    '(x',
    'x)',
    'x &&',
    '&& x',
    'x || || y',
    'x == 1',
    'x = = 1',
    'x =',
    'x = "a" b',
    'x = f(y)',
    'x = f(y',
    'in = 1',
    '"a" = b',
    'a b',
    '1',
    '[a]',
  ],
  'key-list': [
    '',
    ' , ;',
    'a',
    'a b, c; d',
    'context.a state.b',
    'a.b-c.0',
    '9a',
    'a/b',
    'a: string',
    'a: strng',
    'a: string b',
    'a: string, b c',
    'a: string, , b',
    'a: low|high = low',
    'a: low',
    'a: low|',
    'a: string|low',
    'a: "x"|"y z"',
    'a?',
    'a??',
    'a? = 1',
    'a: integer = 10',
    'a = 01',
    'a = http://x',
    'a = "http://x"',
    'a = "x',
    'a = "\\x"',
    'a = [1, "b", {"c": null}]',
    'a = [b]',
    'a = [1, ]',
    'a = {"b": 1, "c"}',
    'a = ]',
    'a = [1; 2]',
    ': string',
    'é',
  ],
  stylesheet: [
    '',
    '* { llm_model: x }',
    '* { llm_model: x; }',
    '* { llm_model = "x"; llm_provider: \'y\' }',
    '.code { model: gpt-5.2 } #plan { model: claude-*; }',
    'box { model: x }',
    '* { }',
    '* { model }',
    '* { model: }',
    '* { model x }',
    '* model: x',
    '* { model: x',
    'a, b { model: x }',
    '.a.b { model: x }',
    '#a-b { model: x }',
    '. code { model: x }',
    '/* all */ * { model: x /* one */ }',
    '// all\n* { model: x }',
    '* { model: x;; }',
    '* { model: "x }',
    '* { model: two words }',
    '} * { model: x }',
  ],
};

describe('a template', () => {
  const template = languages.find(({ name }) => name === 'template');
  const paths = ['Value', 'Escape'] as const;

  it.each(paths)('reads every %s of the grammar, and nothing else in it', (rule) => {
    if (template === undefined) throw new Error('there is no grammar of templates');
    const grammar = { ...grammarOf(template), start: rule };
    fc.assert(
      fc.property(sentences(grammar), (tokens) => {
        const text = tokens.join('');
        const kinds = parseTemplate(text).parts.map(({ kind }) => kind);
        const isAfterPairs = text.startsWith('$$');
        expect(kinds).toEqual(
          rule === 'Escape' ? ['literal'] : isAfterPairs ? ['literal', 'value'] : ['value'],
        );
      }),
    );
  });
});
