import { looksRandom } from './public-values.js';
import { shortestSecret } from './secret.js';

/** A way to write a value, and whether line breaks may stand anywhere in it. */
export interface Spelling {
  readonly text: string;
  readonly isWrapped: boolean;
}

/**
 * All spellings of a value: plain, in JSON, in JSON within JSON, in an address, each line of a value with
 * several, and in base64 at any offset and with any line breaks.
 */
export function spellingsOf(value: string): readonly Spelling[] {
  const inJson = jsonWriters.map((write) => write(value));
  const plain = new Set([
    value,
    ...linesOf(value),
    ...inJson,
    ...inJson.flatMap((text) => jsonWriters.map((write) => write(text))),
    ...addressesOf(value),
  ]);
  const wrapped = new Set(base64Of(value));
  return [
    ...Array.from(plain, (text) => ({ text, isWrapped: false })),
    ...Array.from(wrapped, (text) => ({ text, isWrapped: true })),
  ].filter(({ text }) => text.length >= shortestSecret);
}

const beyondAscii = /[^ -~]/g;

/** JSON spellings of libraries, which differ in the characters that they escape unnecessarily. */
const jsonWriters: readonly ((text: string) => string)[] = [
  jsonInner,
  // Python.
  (text) => jsonInner(text).replace(beyondAscii, unicodeEscape),
  // PHP.
  (text) => jsonInner(text).replace(beyondAscii, unicodeEscape).replaceAll('/', '\\/'),
  (text) => jsonInner(text).replaceAll('/', '\\/'),
  // Go, Ruby on Rails.
  (text) => jsonInner(text).replace(/[<>&\u2028\u2029]/g, unicodeEscape),
  // .NET.
  (text) =>
    jsonInner(text)
      .replaceAll('\\"', '\\u0022')
      .replace(/[^ -~]|[<>&'+`]/g, (character) => unicodeEscape(character).toUpperCase().replace('U', 'u')),
];

function jsonInner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Characters that encoders of addresses leave as they are, besides letters, digits, `-`, `.` and `_`. */
const leftInAddresses: readonly string[] = [
  // JavaScript: encodeURIComponent, encodeURI.
  "!~*'()",
  "!~*'();,/?:@&=+$#",
  // Python: quote, quote with safe=''; Go, Ruby and PHP's rawurlencode write like one of them.
  '~/',
  '~',
  // Java, and forms.
  '*',
  '',
];

function addressesOf(value: string): readonly string[] {
  return leftInAddresses.flatMap((left) => {
    const encoded = value.replace(/[^A-Za-z0-9._-]/gu, (character) =>
      left.includes(character) ? character : percentEncode(character),
    );
    const inLowerCase = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    return [encoded, encoded.replaceAll('%20', '+'), inLowerCase, inLowerCase.replaceAll('%20', '+')];
  });
}

function percentEncode(character: string): string {
  return Array.from(
    new TextEncoder().encode(character),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}

/** Lines with the secret of a key that is a file, in case they are printed alone. */
function linesOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.length === 1 ? [] : lines.filter(looksRandom);
}

/** Invariant part of the base64 of any text that contains the value, for each of the three offsets. */
function base64Of(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  return [0, 1, 2].flatMap((offset) => {
    const binary = '\0'.repeat(offset) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
    const first = Math.ceil((8 * offset) / 6);
    const last = Math.floor((8 * binary.length) / 6);
    const text = btoa(binary).slice(first, last);
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
