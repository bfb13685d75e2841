import { fc } from './fast-check.js';

const inserted = [
  ...[
    ',',
    ';',
    ' ',
    '\n',
    '"',
    "'",
    '\\',
    '-',
    '--',
    '=',
    '==',
    '->',
    '=>',
    ':',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
  ],
  ...[
    'strict ',
    'Node',
    '\u00a0',
    '#',
    '//',
    '/*',
    '+',
    '-x',
    '.y',
    ':n',
    '<b>z</b>',
    ' && ',
    ' and ',
    'goal_gate=yes',
  ],
];

type Mutation = (text: string, at: number) => string;

const mutations: readonly Mutation[] = [
  ...inserted.map(
    (piece): Mutation =>
      (text, at) =>
        text.slice(0, at) + piece + text.slice(at),
  ),
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text.slice(at + 7),
  // Two neighbours in the wrong order.
  (text, at) => text.slice(0, at) + (text[at + 1] ?? '') + (text[at] ?? '') + text.slice(at + 2),
  // The next comma goes, or becomes a semicolon; or all of them.
  (text, at) => text.slice(0, at) + text.slice(at).replace(',', ''),
  (text, at) => text.slice(0, at) + text.slice(at).replace(',', ';'),
  (text) => text.replaceAll(',', ' '),
  // A word in quotes, with hyphens for its underscores, in capitals, or another one.
  (text, at) => changeWord(text, at, (word) => `"${word}"`),
  (text, at) => changeWord(text, at, (word) => word.replaceAll('_', '-')),
  (text, at) => changeWord(text, at, (word) => word.toUpperCase()),
  (text, at) => changeWord(text, at, (word) => `${word}-1`),
  (text, at) => everywhere(text, at, (word) => `${word}-x`),
  (text) => text.replaceAll('->', '--'),
  (text) => text.replaceAll('\n', '\r\n'),
];

function changeWord(text: string, at: number, change: (word: string) => string): string {
  return text.slice(0, at) + text.slice(at).replace(/[A-Za-z_]\w*/, change);
}

function everywhere(text: string, at: number, change: (word: string) => string): string {
  const word = /[A-Za-z_]\w*/.exec(text.slice(at))?.[0];
  return word === undefined ? text : text.replaceAll(new RegExp(`\\b${word}\\b`, 'g'), change);
}

/** Real texts with the slips of people who type them: a few changes, each at a place of its own. */
export function mutatedText(texts: readonly string[]): fc.Arbitrary<string> {
  const change = fc.tuple(fc.constantFrom(...mutations), fc.nat());
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 5 }))
    .map(([text, changes]) =>
      changes.reduce((result, [mutate, at]) => mutate(result, at % (result.length + 1)), text),
    );
}
