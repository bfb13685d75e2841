import type { ILexerConfig } from 'chevrotain';

// Tests have the library validate the tokens of all languages; offsets are all that anybody asks of a place.

/** For texts of any length: the types of token are sorted by the characters that they begin with. */
export const forLongTexts: ILexerConfig = {
  positionTracking: 'onlyOffset',
  skipValidations: true,
  ensureOptimizations: true,
};

/** For texts of a line or two: to sort the types takes longer than to read the text. */
export const forShortTexts: ILexerConfig = {
  positionTracking: 'onlyOffset',
  skipValidations: true,
  safeMode: true,
};
