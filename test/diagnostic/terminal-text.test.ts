import { describe, expect, it } from 'vitest';
import { stripStyles, terminalParts } from '../../src/diagnostic/terminal-text.js';
import { fc } from '../support/fast-check.js';

const e = '\u001b';

describe('texts of programs', () => {
  it.each([
    ['plain', [['plain', undefined, false]]],
    [
      `${e}[31mred${e}[0m, ${e}[1;92mgood${e}[39m bold${e}[22m.`,
      [
        ['red', 'red', false],
        [', ', undefined, false],
        ['good', 'green', true],
        [' bold', undefined, true],
        ['.', undefined, false],
      ],
    ],
    [
      `${e}[38;5;196ma${e}[38;2;1;2;31mb${e}[48;5;31mc`,
      [
        ['a', undefined, false],
        ['b', undefined, false],
        ['c', undefined, false],
      ],
    ],
    [
      `a${e}[2Kb${e}]0;title\u0007c${e}]8;;http://x${e}\\d${e}(`,
      [
        ['a', undefined, false],
        ['b', undefined, false],
        ['c', undefined, false],
        ['d', undefined, false],
        ['(', undefined, false],
      ],
    ],
    ['\r\n\rone\r', [['\none', undefined, false]]],
    ['10 %\r50 %\r100 %\r\ndone\n', [['100 %\ndone\n', undefined, false]]],
    [
      `${e}[2mquiet${e}[m loud`,
      [
        ['quiet', 'gray', false],
        [' loud', undefined, false],
      ],
    ],
  ])('%j are shown as in a terminal', (text, parts) => {
    expect(terminalParts(text).map(({ text: words, colour, isBold }) => [words, colour, isBold])).toEqual(
      parts,
    );
  });

  it('lose nothing that is not an escape', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/[\u001b\r]/.test(text)),
        (text) => {
          expect(stripStyles(text)).toBe(text);
        },
      ),
    );
  });
});
