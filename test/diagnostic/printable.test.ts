import { describe, expect, test } from 'vitest';
import { printable, printableLines } from '../../src/diagnostic/printable.js';
import { anyCharacter } from '../support/any-character.js';
import { fc } from '../support/fast-check.js';

describe('a text that others wrote', () => {
  test.each<[what: string, text: string, shown: string, lines: string]>([
    ['plain', 'Ship it? ✔ ß 日本 😀', 'Ship it? ✔ ß 日本 😀', 'Ship it? ✔ ß 日本 😀'],
    ['with a colour', '\u001b[31mred\u001b[0m', '␛[31mred␛[0m', '␛[31mred␛[0m'],
    ['with a title for the window', '\u001b]0;mine\u0007', '␛]0;mine␇', '␛]0;mine␇'],
    ['with one byte for two', '\u009b2J', '\ufffd2J', '\ufffd2J'],
    ['that writes over itself', '10%\r20%\b', '10%␍20%␈', '10%␍20%␈'],
    ['with DEL', 'a\u007f', 'a␡', 'a␡'],
    ['of several lines', 'a\tb\r\nc\nd', 'a␉b␍␊c␊d', 'a\tb\nc\nd'],
    ['that turns around', '\u202egnp.exe', '\ufffdgnp.exe', '\ufffdgnp.exe'],
    ['that breaks lines by another name', 'a\u2028b', 'a\ufffdb', 'a\ufffdb'],
  ])('%s', (_what, text, shown, lines) => {
    expect(printable(text)).toBe(shown);
    expect(printableLines(text)).toBe(lines);
  });

  test('keeps nothing that a terminal obeys, and says it twice the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(printable(text)).not.toMatch(/\p{Cc}/u);
        expect(printableLines(text).replaceAll(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
        expect(printable(printable(text))).toBe(printable(text));
        expect(printableLines(printableLines(text))).toBe(printableLines(text));
      }),
    );
  });
});
