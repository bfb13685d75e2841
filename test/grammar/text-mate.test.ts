import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { attributeNames } from '../../src/graph/attributes.js';
import { handlerTypes } from '../../src/graph/handler-types.js';
import { root } from '../docs/markdown.js';
import { textMateGrammar } from './text-mate.js';
import { loadTextMate, type Piece } from './tokenize.js';

const file = path.join(root, 'grammar/attractor.tmLanguage.json');

let piecesOf: (text: string) => readonly Piece[];

beforeAll(async () => {
  piecesOf = await loadTextMate();
});

/** The innermost scopes of the pieces that are more than blanks. */
function colors(text: string): readonly (readonly [text: string, scope: string])[] {
  return piecesOf(text)
    .filter((piece) => piece.text.trim() !== '')
    .map((piece) => [piece.text.trim(), piece.scopes.at(-1) ?? '']);
}

test('the grammar is what the tables say', async () => {
  await expect(textMateGrammar()).toMatchFileSnapshot(file);
});

const known = 'entity.other.attribute-name.known';
const assign = 'keyword.operator.assignment';

describe('a line has its colours', () => {
  it.each<[line: string, expected: readonly (readonly [text: string, scope: string])[]]>([
    [
      'digraph review {',
      [
        ['digraph', 'keyword.control.graph'],
        ['review', 'entity.name.type.pipeline'],
        ['{', 'punctuation.section.block'],
      ],
    ],
    [
      'subgraph cluster_a {',
      [
        ['subgraph', 'keyword.control.subgraph'],
        ['cluster_a', 'entity.name.section.subgraph'],
        ['{', 'punctuation.section.block'],
      ],
    ],
    [
      'a -> b;',
      [
        ['a', 'variable.other.node'],
        ['->', 'keyword.operator.edge'],
        ['b', 'variable.other.node'],
        [';', 'punctuation.terminator.statement'],
      ],
    ],
    [
      'a -- b',
      [
        ['a', 'variable.other.node'],
        ['--', 'invalid.illegal.edge'],
        ['b', 'variable.other.node'],
      ],
    ],
    ['// why', [['// why', 'comment.line.double-slash']]],
    [
      'a /* not',
      [
        ['a', 'variable.other.node'],
        ['/*', 'comment.block'],
        ['not', 'comment.block'],
      ],
    ],
    [
      '// attractor-disable-next-line unbounded_loop -- people stop it',
      [
        ['//', 'punctuation.definition.comment'],
        ['attractor-disable-next-line', 'keyword.control.suppression'],
        ['unbounded_loop', 'support.constant.rule'],
        ['-- people stop it', 'comment.line.double-slash.suppression'],
      ],
    ],
    [
      '// attractor-disabled is not a word',
      [['// attractor-disabled is not a word', 'comment.line.double-slash']],
    ],
    [
      'node [timeout=900s, max_retries=3, goal_gate=true, mine=x]',
      [
        ['node', 'storage.type.defaults'],
        ['[', 'punctuation.section.attributes.begin'],
        ['timeout', known],
        ['=', assign],
        ['900', 'constant.numeric.duration'],
        ['s', 'keyword.other.unit'],
        [',', 'punctuation.separator.attributes'],
        ['max_retries', known],
        ['=', assign],
        ['3', 'constant.numeric'],
        [',', 'punctuation.separator.attributes'],
        ['goal_gate', known],
        ['=', assign],
        ['true', 'constant.language.boolean'],
        [',', 'punctuation.separator.attributes'],
        ['mine', 'entity.other.attribute-name'],
        ['=', assign],
        ['x', 'string.unquoted'],
        [']', 'punctuation.section.attributes.end'],
      ],
    ],
    [
      'fidelity=compact',
      [
        ['fidelity', known],
        ['=', assign],
        ['compact', 'support.constant.value'],
      ],
    ],
  ])('%s', (line, expected) => expect(colors(line)).toEqual(expected));
});

describe('a part of a string has its colour', () => {
  it.each<[line: string, part: string, scope: string]>([
    ['a [prompt="Do $goal"]', '$goal', 'variable.language.goal'],
    ['a [prompt="Do $goals"]', '"', 'punctuation.definition.string.end'],
    ['a [label="Do $goals"]', 'Do $goals', 'string.quoted.double'],
    ['a [prompt="Be **bold**, $goal"]', 'bold', 'markup.bold.markdown'],
    ['a [prompt="Be **bold**, $goal"]', '$goal', 'variable.language.goal'],
    ['a [prompt="\n# Title\ntext"]', '# Title', 'heading.markdown'],
    ['a [system_prompt="Be **bold**"]', 'bold', 'markup.bold.markdown'],
    ['a [tool_command="if x; then y"]', 'if', 'keyword.control.shell'],
    ['a [tool_command="echo \'one two\' ${context.x}"]', 'one two', 'string.quoted.single.shell'],
    ['a [tool_command="echo \'one two\' ${context.x}"]', 'context.x', 'variable.other.value'],
    ['a ["tool_command"="if x"]', 'if', 'keyword.control.shell'],
    ['a [tool_command="\necho a\nfor x\n"]', 'for', 'keyword.control.shell'],
    ['a [tool_command="echo \\"if\\""]', '\\"', 'constant.character.escape'],
    ['a [prompt="See ${context.plan}"]', 'context.plan', 'variable.other.value'],
    ['a [prompt="See $${context.plan}"]', '$${context.plan}', 'constant.character.escape.value'],
    ['a [prompt="See ${HOME}, \\d"]', '\\d', 'invalid.deprecated.escape'],
    ['a [prompt="two\\nlines \\"here\\""]', '\\n', 'constant.character.escape'],
    ['a -> b [condition="outcome=success && context.n > 3"]', 'outcome', 'variable.language'],
    ['a -> b [condition="outcome=success && context.n > 3"]', 'success', 'support.constant.outcome'],
    ['a -> b [condition="outcome=success && context.n > 3"]', '&&', 'keyword.operator.logical'],
    ['a -> b [condition="outcome=success && context.n > 3"]', 'context.n', 'variable.other.key'],
    ['a -> b [condition="outcome=success && context.n > 3"]', '3', 'constant.numeric'],
    ['a -> b [condition="context.x=two words || !y"]', 'two words', 'string.unquoted.literal'],
    ['a -> b [condition="context.x=\\"a && b\\" && y"]', 'a && b', 'string.quoted.double.inside'],
    ['a -> b [condition="x not in [a, 3]"]', 'not in', 'keyword.operator.word'],
    ['m ["manager.stop_condition"="context.done=true"]', 'manager.stop_condition', known],
    ['m ["manager.stop_condition"="context.done=true"]', 'context.done', 'variable.other.key'],
    ['model_stylesheet="* { llm_model: gpt-5.2; }"', '*', 'entity.name.tag.universal'],
    ['model_stylesheet="* { llm_model: gpt-5.2; }"', 'llm_model', 'support.type.property-name'],
    ['model_stylesheet="* { llm_model: gpt-5.2; }"', 'gpt-5.2', 'string.unquoted'],
    [
      'model_stylesheet=".code { x: \\"y\\" } #plan { } box { }"',
      '.code',
      'entity.other.attribute-name.class',
    ],
    ['model_stylesheet=".code { x: \\"y\\" } #plan { } box { }"', '#plan', 'entity.other.attribute-name.id'],
    ['model_stylesheet=".code { x: \\"y\\" } #plan { } box { }"', 'box', 'entity.name.tag.shape'],
    ['model_stylesheet="* {\n  llm_model: x /* why */\n}"', 'why', 'comment.block.stylesheet'],
  ])('%s: %s', (line, part, scope) => {
    const found = colors(line).filter(([text]) => text === part || text.trim() === part);
    const inside = piecesOf(line).some((piece) => piece.text.trim() === part && piece.scopes.includes(scope));
    expect(inside || found.some(([, name]) => name === scope), JSON.stringify(colors(line))).toBe(true);
  });

  it.each([
    'a -> b [condition="outcome=success"]; c',
    'a -> b [condition="x=\\"open"]; c',
    'm [model_stylesheet="* { x: y"]; c',
    'm [model_stylesheet="/* open"]; c',
    'm [model_stylesheet="* { x: \\"open"]; c',
    'm [prompt="${context.x"]; c',
    'm [prompt="**open"]; c',
    'm [prompt="# Title"]; c',
    'm [prompt="\n**open\n"]; c',
    'm [tool_command="echo \'open"]; c',
    'm [tool_command="# open"]; c',
    'm [tool_command="echo \'open\nfor x\n"]; c',
    'm [tool_command="echo \\"\'open\\" # it\'s"]; c',
    'm [tool_command="ends with a \\\\"]; c',
  ])('and nothing of it continues after the string: %s', (line) => {
    expect(colors(line).at(-1)).toEqual(['c', 'variable.other.node']);
  });
});

describe('every attribute of the tables is known, bare and quoted', () => {
  const names = new Set((['graph', 'node', 'edge'] as const).flatMap(attributeNames));

  it.each([...names].map((name) => name.replace('*', 'mine')))('%s', (name) => {
    for (const written of [`${name}=1`, `"${name}"="1"`, `n [x=1, ${name} = "1"]`]) {
      expect(colors(written), written).toContainEqual([name, known]);
    }
    expect(colors(`${name}x=1`)).not.toContainEqual([name, known]);
  });
});

test.each(handlerTypes.flatMap((row) => ('shape' in row ? [row.shape] : [])))(
  'the shape %s is known',
  (shape) => {
    expect(colors(`a [shape=${shape}]`)).toContainEqual([shape, 'support.constant.shape']);
    expect(colors(`a [shape="${shape}", x=1]`)).toContainEqual([shape, 'support.constant.shape']);
  },
);

test('a real pipeline has no part that is wrong', () => {
  const text = readFileSync(path.join(root, 'examples/release.dot'), 'utf8');
  const wrong = piecesOf(text).filter(({ scopes }) => scopes.some((scope) => scope.startsWith('invalid')));
  expect(wrong).toEqual([]);
});
