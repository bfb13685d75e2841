import { describe, expect, it, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { renderJson } from '../../src/diagnostic/render-json.js';
import { nodeAttribute } from '../../src/graph/attributes.js';
import { applyEdits } from '../lint/apply-edits.js';

/*
 * What the language accepts and what it refuses, by the rows of docs/semantics.md (§§1, 4, 5, 6) that speak of nothing
 * else. Rows that a parser, lowering or a rule is tested for on its own have their tests there.
 */

const ends = 'start [shape=Mdiamond]; exit [shape=Msquare];';

/** Around statements; `a` and `b` have prompts. */
function pipeline(statements: string): string {
  return `digraph g {\n${ends} a [prompt=x]; b [prompt=y]; start -> a -> b -> exit;\n${statements}\n}`;
}

/** All errors, and what else the rules say that the cases are about. */
const found = (text: string): readonly string[] =>
  compile(text)
    .diagnostics.filter(({ rule, severity }) => severity === 'error' || rules.has(rule))
    .map(nameOf);

const rules: ReadonlySet<string> = new Set([
  'attribute_known',
  'condition_double_equals',
  'goal_gate_has_retry',
  'prompt_on_llm_nodes',
  'shape_known',
  'stylesheet_syntax',
  'syntax',
  'type_known',
]);

function nameOf({ rule, code, severity }: Diagnostic): string {
  return code === undefined ? `${severity} ${rule}` : `${severity} ${rule}/${code}`;
}

/** What is left after the fixes of the first round. */
function foundAfterFixes(text: string): readonly string[] {
  const edits = compile(text).diagnostics.flatMap(({ fix }) => fix?.edits ?? []);
  return found(applyEdits(text, edits));
}

describe('a text is refused, or only remarked on', () => {
  it.each<[title: string, text: string, findings: readonly string[]]>([
    ['1: a graph without a name', `digraph { ${ends} start -> exit }`, ['error syntax/anonymous_graph']],
    ['9: an empty block', pipeline('a []'), []],
    ['9: a trailing comma', pipeline('a [max_visits=1,]'), ['error syntax/trailing_comma']],
    [
      '10: two attribute blocks',
      pipeline('a [max_visits=1] [retry_policy=none]'),
      ['error syntax/multiple_attribute_blocks'],
    ],
    ['11: a quoted id', pipeline('"a" [max_visits=1]'), ['error syntax/quoted_id']],
    [
      '11: a hyphenated id',
      pipeline('a -> b-c [label=x]; b-c [prompt=z]; b-c -> exit'),
      ['error syntax/hyphenated_id', 'error syntax/hyphenated_id', 'error syntax/hyphenated_id'],
    ],
    ['11: a port', pipeline('a:n [max_visits=1]'), ['error syntax/port']],
    ['12: strict', `strict ${pipeline('')}`, ['error syntax/strict_graph']],
    ['12: an undirected graph', pipeline('').replace('digraph', 'graph'), ['error syntax/undirected_graph']],
    ['12: an undirected edge', pipeline('a -- b [label=again]'), ['error syntax/undirected_edge']],
    ['12: a second graph', `${pipeline('')} digraph h {}`, ['error syntax/second_graph']],
    ['12: text after the graph', `${pipeline('')} end`, ['error syntax/trailing_text']],
    ['12: one semicolon after the graph', `${pipeline('')};`, []],
    ['15: line breaks inside of a string', pipeline('a [prompt="one\ntwo"]'), []],
    [
      '15: strings joined with +',
      pipeline('a [prompt="one" + "two"]'),
      ['error syntax/string_concatenation'],
    ],
    ['15: an HTML string', pipeline('a [label=<b>]'), ['error syntax/html_string']],
    ['15: a string without an end', `digraph g { a [prompt="x ]; }`, ['error syntax/unterminated_string']],
    ['16: comments, which are blanks', pipeline('a /* // */ [max_visits=1 // "\n]'), []],
    ['16: a comment in a string, which is none', pipeline('a [prompt="https://example.org /* */"]'), []],
    ['16: a comment without an end', pipeline('/* '), ['error syntax/unterminated_comment']],
    ['16: a line that begins with #', pipeline('# why'), ['error syntax/hash_comment']],
    ['17e: an edge to a block', pipeline('a -> { b }'), ['error syntax/edge_to_subgraph']],
    ['17e: a block without its keyword', pipeline('{ rank=same }'), ['error syntax/anonymous_block']],
    ['17e: a subgraph without a name', pipeline('subgraph { rank=same }'), []],
    ['38: a node that nothing leads to', pipeline('c [prompt=z]; c -> b'), ['error reachability']],
    [
      '38: a node that only a retry target leads to',
      pipeline('c [prompt=z]; c -> b; a [retry_target=c]'),
      [],
    ],
    ['39: two exits', pipeline('exit2 [shape=Msquare]; b -> exit2 [label=x]'), ['error terminal_node']],
    [
      '39: no exit',
      'digraph g { start [shape=Mdiamond]; a [prompt=x]; start -> a }',
      ['error terminal_node'],
    ],
    [
      '42: neither a prompt nor a label',
      pipeline('c; b -> c [condition="outcome=fail"]; c -> exit'),
      ['warning prompt_on_llm_nodes'],
    ],
    [
      '42: a label alone',
      pipeline('c [label="Repair"]; b -> c [condition="outcome=fail"]; c -> exit'),
      ['info prompt_on_llm_nodes'],
    ],
    ['43: a goal gate without a way back', pipeline('a [goal_gate=true]'), ['warning goal_gate_has_retry']],
    ['43: a goal gate with that of the graph', pipeline('a [goal_gate=true]; graph [retry_target=a]'), []],
    ['43c: a type that nobody knows', pipeline('a [type=nothing]'), ['warning type_known']],
    ['43c: a shape that means nothing', pipeline('a [shape=octagon]'), ['warning shape_known']],
    [
      '43d: a stylesheet that cannot be read',
      pipeline('graph [model_stylesheet="* { llm_model }"]'),
      ['error stylesheet_syntax'],
    ],
    ['43f: an attribute of another tool', pipeline('a [llm_prompt=x]'), ['warning attribute_known']],
    [
      "43f: attributes of Graphviz, and of one's own",
      pipeline('a [fillcolor=red, "mine.key"=1]; rankdir=LR'),
      [],
    ],
    [
      '44e: == in a condition',
      pipeline('a -> exit [condition="outcome==fail"]'),
      ['warning condition_double_equals'],
    ],
    [
      '45: = and other names in a stylesheet',
      pipeline('graph [model_stylesheet="* { model: x; llm_provider = \'y\' }"]'),
      ['info stylesheet_syntax/property_alias', 'info stylesheet_syntax/equals_sign'],
    ],
    [
      '46a: a class with other letters',
      pipeline('graph [model_stylesheet=".Code_X { llm_model: x }"]; a [class="Code_X"]'),
      ['warning stylesheet_syntax/class_name'],
    ],
    [
      '46a: two selectors for one rule',
      pipeline('graph [model_stylesheet=".a, .b { llm_model: x }"]'),
      ['error stylesheet_syntax'],
    ],
    [
      '46a: two selectors in one',
      pipeline('graph [model_stylesheet=".a.b { llm_model: x }"]'),
      ['error stylesheet_syntax'],
    ],
  ])('%s', (_title, text, findings) => expect(found(text)).toEqual(findings));
});

describe('a mistake that a machine can mend is mended', () => {
  it.each<[title: string, text: string]>([
    ['1: by naming the graph', `digraph { ${ends} start -> exit }`],
    ['9: by removing the comma', pipeline('a [max_visits=1,]')],
    ['10: by joining the blocks', pipeline('a [max_visits=1] [retry_policy=none]')],
    ['12: by removing strict', `strict ${pipeline('')}`],
    ['15: by joining the strings', pipeline('a [prompt="one" + "two"]')],
    ['16: by writing //', pipeline('# why')],
    ['44e: by writing =', pipeline('a -> exit [condition="outcome==fail"]')],
  ])('%s', (_title, text) => expect(foundAfterFixes(text)).toEqual([]));
});

describe('what is read', () => {
  it.each([
    ['45: with : and quotes', "* { llm_model: 'gpt-5.2' }"],
    ['45: with = and no quotes', '* { llm_model = gpt-5.2 }'],
    ['45: by another name', '* { model: gpt-5.2; }'],
    ['46a: by a class, spelt the same', '.Code_X { llm_model: gpt-5.2 }'],
  ])('%s', (_title, sheet) => {
    const { graph } = compile(pipeline(`graph [model_stylesheet="${sheet}"]; a [class="Code_X"]`));
    const node = graph.nodes.get('a');
    expect(node && nodeAttribute(node, 'llm_model')).toBe('gpt-5.2');
  });

  it.each([
    ['46a: not by a class in another case', '.code_x { llm_model: gpt-5.2 }'],
    ['43d: not from a stylesheet with an error', '* { llm_model: gpt-5.2 } box {'],
  ])('%s', (_title, sheet) => {
    const { graph } = compile(pipeline(`graph [model_stylesheet="${sheet}"]; a [class="Code_X"]`));
    expect(graph.nodes.get('a')?.attributes.has('llm_model')).toBe(false);
  });

  test('16: a comment that is opened again ends at its first end', () => {
    expect(found(pipeline('/* a /* b */ c [prompt=z]; b -> c [label=x]; c -> exit'))).toEqual([]);
  });
});

test('43e: a finding has its rule, severity, message, place, and what it is about', () => {
  const compilation = compile(pipeline('a [retry_target=nowhere]; a -> exit [condition="="]'), {
    name: 'p.dot',
  });
  const { diagnostics } = JSON.parse(renderJson([compilation]));
  expect(diagnostics).toMatchObject([
    {
      rule: 'retry_target_exists',
      severity: 'warning',
      file: 'p.dot',
      line: 3,
      column: 17,
      node_id: 'a',
      fix: { title: expect.any(String) },
    },
    {
      rule: 'condition_syntax',
      severity: 'error',
      line: 3,
      edge: ['a', 'exit'],
      message: expect.any(String),
    },
  ]);
});
