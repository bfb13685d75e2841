import { expect, it } from 'vitest';
import { findBannedPhrases } from './find-banned-phrases.js';

it.each([
  ['The stage behind it runs.', ['1: "behind" (write: after)']],
  ['It is no label.', ['1: "is no" (write: is not a, is not one of)']],
  ['/**\n * A run goes\n * on.\n */', ['2: "goes on" (write: continues, happens)']],
  ['One.\n\nWhat the model is told', ['3: "told" (write: sent, shown, reported, configured)']],
])('%j', (text, found) => {
  expect(findBannedPhrases(text)).toEqual(found);
});

it.each([
  'There is no stage "a".',
  'The run is no longer open.',
  'A lock was left behind.',
  'The server runs behind a TLS proxy.',
  'They cannot be told apart.',
  'It is as simple as possible.',
  'const isNone = behindProxy;',
])('no phrase: %j', (text) => {
  expect(findBannedPhrases(text)).toEqual([]);
});
