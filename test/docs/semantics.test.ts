import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { attributeDefinition } from '../../src/graph/attributes.js';
import { syntaxCodes } from '../../src/parser/dot/syntax-codes.js';
import { codeIn, readPage } from './markdown.js';

// What docs/semantics.md gives a name to.

const page = readPage('docs/semantics.md').text;

/** What stands from one text up to another. */
function between(start: string, end: string): string {
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1)
    throw new Error(`docs/semantics.md has no passage from "${start}" to "${end}"`);
  return page.slice(from, to);
}

/** Names, and not the values or the words next to them. */
const namesIn = (text: string) => codeIn(text).filter((code) => /^[a-z_]+(?:\.[a-z_]+)*$/.test(code));

describe('91: findings of the parser', () => {
  it.each(
    namesIn(between('| 91 !', '\n')).filter(
      (name) => name !== 'syntax' && name !== 'code' && name !== 'explain',
    ),
  )('have the code %s', (code) => {
    expect(Object.keys(syntaxCodes)).toContain(code);
  });

  it('are of the rule syntax', () => {
    const { diagnostics } = compile('digraph G { a [x=1,]; b - c }');
    expect(diagnostics.length).toBeGreaterThan(1);
    for (const { rule, code } of diagnostics.filter(({ code }) => code !== undefined)) {
      expect(rule).toBe('syntax');
      expect(Object.keys(syntaxCodes)).toContain(code);
    }
  });
});

describe('92: rule ids', () => {
  const ends = 'start [shape=Mdiamond]; exit [shape=Msquare]; a [prompt=x];';
  const witnesses: Readonly<Record<string, string>> = {
    duplicate_attribute: `${ends} b [prompt=x, prompt=y]; start -> a -> b -> exit`,
    condition_double_equals: `${ends} start -> a -> exit [condition="outcome==success"]`,
    keyword_like_id: `${ends} Node [prompt=x]; start -> a -> Node -> exit`,
    id_case_collision: `${ends} A [prompt=y]; start -> a -> A -> exit`,
    start_id_shadowed:
      'begin [shape=Mdiamond]; exit [shape=Msquare]; start [prompt=x]; begin -> start -> exit',
    conditional_without_conditions: `${ends} c [shape=diamond]; start -> a -> c -> exit`,
  };
  const ids = namesIn(between('| 92 |', '\n')).filter((name) => name.includes('_'));

  it('have witnesses', () => expect(Object.keys(witnesses).sort()).toEqual(ids.toSorted()));

  it.each(Object.entries(witnesses))('%s', (id, statements) => {
    const { diagnostics } = compile(`digraph G { ${statements} }`);
    const found = diagnostics.filter(({ severity }) => severity !== 'info');
    expect(found.map(({ rule, severity }) => [rule, severity])).toEqual([[id, 'warning']]);
  });
});

describe.each([
  ['§12 Graph attributes we add: in the table', 'graph', '**Graph attributes we add**', '**Node attributes'],
  ['§12 Node attributes we add: in the table', 'node', '**Node attributes we add**', 'All of them are in'],
] as const)('%s', (_title, owner, start, end) => {
  it.each(namesIn(between(start, end)))('%s has a type, a section and a sentence', (name) => {
    expect(attributeDefinition(owner, name)).toMatchObject({
      type: expect.stringMatching(/^(?:string|integer|number|boolean|duration)$/),
      doc: expect.stringMatching(/^[A-Z`].*\.$/),
      section: expect.stringMatching(/\S/),
    });
  });
});

describe('§12 Stylesheet keys and models: models are open', () => {
  it.each([
    [
      'in a stylesheet',
      'model_stylesheet="* { llm_model: nobody-has-heard-of-7; llm_provider: nobody }";',
      '',
    ],
    ['of a node', '', 'llm_model="nobody-has-heard-of-7", llm_provider=nobody, reasoning_effort=endless, '],
  ])('%s', (_where, graph, node) => {
    const dot = `digraph G { ${graph} start [shape=Mdiamond]; exit [shape=Msquare]; a [${node}prompt=x]; start -> a -> exit }`;
    expect(compile(dot).diagnostics).toEqual([]);
  });
});
