import { expect, it } from 'vitest';
import { textsOf } from './texts-of.js';

const wordsOf = (source: string) =>
  textsOf(source)
    .split(/[\0\s]+/)
    .filter((word) => word !== '')
    .join(' ');

it.each([
  [`const told = 'a text';`, 'a text'],
  ['const a = `one ${told} two ${`three`} four`;', 'one two three four'],
  [`const a = 'one ' +\n  'two';`, 'one two'],
  ['const a = <p title="one">two {three}</p>;', 'one two'],
  ['/** One. */ const a = 1; // Two.', '/** One. */ // Two.'],
  [`import { a } from './told.js';`, ''],
])('%j', (source, texts) => {
  expect(wordsOf(source)).toBe(texts);
  expect(textsOf(source)).toHaveLength(source.length);
});
