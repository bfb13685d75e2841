import { describe, expect, it, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { fix } from '../../src/compiler/fix.js';
import { syntaxCodes } from '../../src/parser/dot/syntax-codes.js';
import { fixturesIn } from '../support/fixtures.js';

const fixtures = fixturesIn('fix').filter(({ name }) => !name.endsWith('.fixed.dot'));

/** The codes of syntax for which nobody can know the text that was meant, or that say nothing of their own. */
const leftToPeople = new Set([
  ...['empty_file', 'binary_input', 'second_graph', 'trailing_text', 'too_many_errors'],
  ...['nesting_limit', 'size_limit'],
  ...['reserved_keyword', 'missing_source', 'missing_target', 'edge_to_subgraph', 'missing_value'],
  ...['misplaced_attributes', 'unterminated_string', 'unterminated_comment', 'unexpected_token'],
]);

describe('98: --fix makes of', () => {
  test.each(fixtures)('$name what stands next to it', async ({ name, text }) => {
    const { text: fixed, compilation } = fix(text);
    await expect(fixed).toMatchFileSnapshot(`../../fixtures/${name.replace(/\.dot$/, '.fixed.dot')}`);
    expect(fix(fixed).text).toBe(fixed);
    if (!name.includes('left-to-people')) {
      expect(compilation.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    }
  });

  it('has a text before and after for every kind of mistake that it mends', () => {
    const texts = [...fixtures, ...fixturesIn('syntax')].map(({ text }) => text);
    const mended = new Set(texts.flatMap((text) => fix(text).fixed.map(({ code }) => code)));
    const open = Object.keys(syntaxCodes).filter((code) => !leftToPeople.has(code) && !mended.has(code));
    expect(open).toEqual([]);
  });
});

const ends = 'start [shape=Mdiamond]; done [shape=Msquare]; w [prompt="w"];';

describe('98: --fix', () => {
  it('says what it has fixed and what is left', () => {
    const { fixed, withheld, compilation } = fix(`strict digraph G { ${ends} start -> w; w--dnoe }`);
    expect(fixed.map(({ code }) => code)).toEqual(['strict_graph', 'undirected_edge']);
    expect(withheld).toEqual([]);
    expect(compilation.diagnostics).toContainEqual(expect.objectContaining({ rule: 'edge_target_exists' }));
  });

  it('leaves a guess to people', () => {
    const text = `digraph G { ${ends} start -> w [condition="outcome='success'"]; w -> done }`;
    expect(compile(text).diagnostics.some(({ fix: how }) => how?.unsafe && how.edits.length > 0)).toBe(true);
    expect(fix(text).text).toBe(text);
  });

  it('mends all syntax errors of a file, however many are shown', () => {
    const nodes = Array.from({ length: 300 }, (_, index) => `n${index} [prompt="x" label="y"]`);
    const { text, compilation } = fix(`digraph G { ${nodes.join('\n')} }`);
    expect(text.match(/"x", label/g)).toHaveLength(300);
    expect(compilation.diagnostics.filter(({ rule }) => rule === 'syntax')).toEqual([]);
  });

  it('uses the transforms, rules and severities that compiling uses', () => {
    const text = `digraph G { ${ends} start -> w [condition="outcome==success"]; w -> done; start -> w }`;
    expect(fix(text, { ruleSettings: new Map([['condition_double_equals', 'off']]) }).text).toBe(text);
  });
});
