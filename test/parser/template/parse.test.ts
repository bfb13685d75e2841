// biome-ignore-all lint/suspicious/useIterableCallbackReturn: every kind is a case, as the compiler checks.

import { describe, expect, test } from 'vitest';
import { parseTemplate } from '../../../src/parser/template/parse.js';
import { fc } from '../../support/fast-check.js';

/** The parts in short: a literal as its text, a value as `<path>`, what is malformed as `!text`. */
function outline(text: string): readonly string[] {
  return parseTemplate(text).parts.map((part) => {
    switch (part.kind) {
      case 'literal':
        return part.text;
      case 'value':
        return `<${part.path}>`;
      case 'malformed':
        return `!${part.text}`;
    }
  });
}

describe('§12 Values at run time: ${path} takes the same keys as conditions', () => {
  test.each([
    ['', []],
    ['plain', ['plain']],
    ['${context.plan}', ['<context.plan>']],
    ['a ${context.plan} b', ['a ', '<context.plan>', ' b']],
    ['${inputs.a}${result.notes}', ['<inputs.a>', '<result.notes>']],
    ['${context.list.0.name}', ['<context.list.0.name>']],
    ['${tool.output}, ${human.gate.label}', ['<tool.output>', ', ', '<human.gate.label>']],
    ['${state.x}${graph.goal}${internal.x}', ['<state.x>', '<graph.goal>', '<internal.x>']],
    [
      '${parallel.results}${work.x}${stack.child.status}',
      ['<parallel.results>', '<work.x>', '<stack.child.status>'],
    ],
  ])('%j', (text, parts) => expect(outline(text)).toEqual(parts));
});

describe('§12 Values at run time: only the known namespaces are touched', () => {
  test.each([
    '${HOME}',
    '${HOME:-x}',
    '${outcome}',
    '${last_response}',
    '${contexts.x}',
    '${my.context.x}',
    '$context.x',
    '{context.x}',
    '$ {context.x}',
    '${ context.x}',
    '${context}',
    '$$',
    '$',
    '$$$',
    '${context.x',
    '${context.x\n}',
    '`${name}`',
    "$(echo '${1}')",
  ])('%j', (text) => expect(outline(text)).toEqual([text]));
});

describe('$$ directly before the brace is a dollar sign', () => {
  test.each([
    ['$${context.x}', ['${context.x}']],
    ['$$${context.x}', ['$', '<context.x>']],
    ['a $$$${context.x} b', ['a $${context.x} b']],
    ['$${HOME}', ['$${HOME}']],
    ['$5$${context.a-b}', ['$5${context.a-b}']],
    ['\\${context.x}', ['\\', '<context.x>']],
  ])('%j', (text, parts) => expect(outline(text)).toEqual(parts));
});

describe('what only begins like a value is left alone, and marked', () => {
  test.each(['${context.a-b}', '${context.}', '${context.x:-y}', '${inputs.a b}', '${context..x}'])(
    '%s',
    (text) => expect(outline(`a${text}b`)).toEqual(['a', `!${text}`, 'b']),
  );
});

const fragments = fc.constantFrom('$', '$$', '{', '}', '${', 'context.x', '.', 'x', '\n', "'", ' ');
const texts = fc.array(fragments).map((parts) => parts.join(''));

test('the spans are the text, one after the other', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { parts } = parseTemplate(text);
      expect(parts.map(({ span }) => text.slice(span.start, span.end)).join('')).toBe(text);
      for (const part of parts) {
        const source = text.slice(part.span.start, part.span.end);
        if (part.kind === 'value') expect(source).toBe(`\${${part.path}}`);
        else expect(source.replaceAll('$', '')).toBe(part.text.replaceAll('$', ''));
      }
    }),
  );
});

test('a text that is all dollar signs takes no longer than another', () => {
  const text = '$'.repeat(1_000_000);
  expect(parseTemplate(text).parts).toEqual([
    { kind: 'literal', text, span: { start: 0, end: text.length } },
  ]);
});
