import { expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';

function helps(text: string): readonly (string | undefined)[] {
  return compile(text)
    .diagnostics.filter(({ rule }) => rule === 'edge_target_exists')
    .map(({ fix }) => fix?.title);
}

it.each([
  [
    'a pipeline of edges alone',
    'digraph G { work [prompt="Do it"] start -> work -> exit }',
    ['declare it: `start [shape=Mdiamond]`', 'declare it: `exit [shape=Msquare]`'],
  ],
  [
    'one that begins and ends elsewhere',
    'digraph G { first [shape=Mdiamond] last [shape=Msquare] work [prompt="Do it"] start -> work -> exit first -> work -> last }',
    ['declare it: `exit [prompt="…"]`'],
  ],
])('says of %s how to declare its ends', (_, text, expected) => {
  expect(helps(text)).toEqual(expect.arrayContaining(expected));
});
