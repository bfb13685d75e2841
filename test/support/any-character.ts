import { fc } from './fast-check.js';

/** Any code point but half of a pair; fast-check's own `binary` unit takes seconds to make. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ffff })
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));
