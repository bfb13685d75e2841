import { describe, expect, test } from 'vitest';
import { jsonWithoutCommands, withoutCommands } from '../../../src/cli/github-actions/without-commands.js';
import { fc } from '../../support/fast-check.js';

/**
 * Whether a runner may see a command in a text, as `ActionCommand` of actions/runner reads lines: it trims them, and compares texts
 * by a culture, which may ignore characters.
 */
function hasCommand(text: string): boolean {
  return text.split(/\r\n|\n|\r/).some((line) => {
    const seen = line.replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '').trim();
    return seen.startsWith('::') || seen.includes('##[');
  });
}

describe('what others wrote is no workflow command', () => {
  test.each([
    ['::error file=a.dot,line=1::no', ': :error file=a.dot,line=1::no'],
    ['  \t::stop-commands::x', '  \t: :stop-commands::x'],
    ['one\n::add-mask::a\r\n::set-env name=x::y\n', 'one\n: :add-mask::a\r\n: :set-env name=x::y\n'],
    ['50%\r::endgroup::', '50%\r: :endgroup::'],
    [':\u00ad:error::hidden', ': \u00ad:error::hidden'],
    ['\ufeff::error::', '\ufeff: :error::'],
    ['see ##[error]no ##[endgroup]', 'see ## [error]no ## [endgroup]'],
    ['#\u200b#\u200b[error]', '#\u200b# \u200b[error]'],
    ['std::vector<int>, a :: b, # 1 ##', 'std::vector<int>, a :: b, # 1 ##'],
    [':: ', ': : '],
  ])('%j', (text, safe) => {
    expect(withoutCommands(text)).toBe(safe);
  });

  test('whatever it is', () => {
    const unit = fc.constantFrom(
      ':',
      '#',
      '[',
      ' ',
      '\n',
      '\r',
      '\t',
      '\u00ad',
      '\u200b',
      '\u0000',
      '\ufeff',
      'error',
      '\u2028',
    );
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(hasCommand(withoutCommands(text))).toBe(false);
      }),
    );
  });

  test('and JSON keeps its value', () => {
    const value = { text: '##[error]x\n::error::y', '##[a]': ['::b'] };
    const json = jsonWithoutCommands(JSON.stringify(value, undefined, 2));
    expect(JSON.parse(json)).toEqual(value);
    expect(hasCommand(json)).toBe(false);
  });
});
