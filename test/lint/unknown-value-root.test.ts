import { expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';

/** What the help offers for a value of a prompt, after a stage that writes `run.id`. */
const offers: readonly (readonly [value: string, offer: string])[] = [
  ['param.target', 'write `${inputs.target}` if that is intended'],
  ['contxt.foo', 'write `${context.foo}` if that is intended'],
  ['run.id', 'write `${context.run.id}` if that is intended'],
  // Nothing sets it.
  ['run.name', 'use one of these namespaces'],
];

test.each(offers)('unknown_value_root offers for ${%s}: %s', (value, offer) => {
  const { diagnostics } = compile(`digraph G {
    start [shape=Mdiamond]
    first [prompt="Begin", writes="run.id"]
    next [prompt="Go on with \${${value}}"]
    done [shape=Msquare]
    start -> first -> next -> done
  }`);
  const found = diagnostics.filter(({ rule }) => rule === 'unknown_value_root');
  expect(found.map(({ fix }) => fix?.title)).toEqual([offer]);
});
