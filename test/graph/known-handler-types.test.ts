import { expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { toGraphvizDot } from '../../src/render/dot.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';

const text = `digraph G {
  start [shape=Mdiamond] exit [shape=Msquare]
  ask [type="acme.ask", llm_model=small, label="Ask", max_retries=2]
  start -> ask -> exit
}`;
const handler = { execute: () => undefined };

test('4.12: what is said of a registered type reaches lint, the program and the picture', () => {
  const description = { title: 'Question', llm: true, retriesFailure: false };
  const { types } = new HandlerRegistry().register('acme.ask', handler, description);
  const { graph, program, diagnostics } = compile(text, { handlerTypes: types });
  expect(diagnostics.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual([
    'info prompt_on_llm_nodes',
  ]);
  expect(program?.nodes.get('ask')?.handler).toMatchObject({
    type: 'acme.ask',
    ...description,
    instant: false,
  });
  const picture = toGraphvizDot(graph, { handlerTypes: types });
  expect(picture).toContain('Question');
  expect(picture).toContain('small');
});

test('4.12: a type of which nothing is said is a stage that does real work without a model', () => {
  const { types } = new HandlerRegistry().register('acme.ask', handler);
  const { program, diagnostics } = compile(text, { handlerTypes: types });
  expect(diagnostics).toEqual([]);
  expect(program?.nodes.get('ask')?.handler).toMatchObject({ title: 'acme.ask', llm: false, instant: false });
});

test('4.2: a built-in type that is registered stays what it is', () => {
  const { types } = new HandlerRegistry().register('tool', handler, { llm: true });
  const { program } = compile(text.replace('acme.ask', 'tool'), { handlerTypes: types });
  expect(program?.nodes.get('ask')?.handler).toMatchObject({ title: 'Tool', llm: false });
});
