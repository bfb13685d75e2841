import type { ILexerConfig } from 'chevrotain';

// Tests have the library validate the tokens of all languages; only the offsets of a position are used.

/** For texts of any length: the types of token are sorted by the characters that they begin with. */
export const forLongTexts: ILexerConfig = {
  positionTracking: 'onlyOffset',
  skipValidations: true,
  ensureOptimizations: true,
};

/** For texts of a line or two: sorting the types takes longer than reading the text. */
export const forShortTexts: ILexerConfig = {
  positionTracking: 'onlyOffset',
  skipValidations: true,
  safeMode: true,
};
