import { lengthOfBody, lookBehind, nextKey, openKeyAt } from './find-keys.js';
import { type KeyFormat, longestKey } from './key-formats.js';
import type { LiteralMatcher } from './literal-matcher.js';
import { placeholder } from './secret.js';

/** Removes secrets from a text that comes in pieces; the result does not depend on where it is cut. */
export interface TextStream {
  /** @returns text that is known to be clean; a possible beginning of a secret is held back */
  add(text: string): string;
  /** @returns the remaining text */
  end(): string;
}

/** Chains two streams: known values are hidden first, then keys in the rest. */
export function textStream(matcher: LiteralMatcher | undefined): TextStream {
  const keys = new KeyStream();
  if (matcher === undefined) return keys;
  const literals = new LiteralStream(matcher);
  return {
    add: (text) => keys.add(literals.add(text)),
    end: () => keys.add(literals.end()) + keys.end(),
  };
}

/** Hides known values. */
class LiteralStream implements TextStream {
  readonly #matcher: LiteralMatcher;
  #held = '';

  constructor(matcher: LiteralMatcher) {
    this.#matcher = matcher;
  }

  add(piece: string): string {
    const text = this.#held + piece;
    return this.#upTo(this.#matcher.openAt(text), text);
  }

  end(): string {
    const text = this.#held;
    return this.#upTo(text.length, text);
  }

  #upTo(open: number, text: string): string {
    let clean = '';
    let from = 0;
    let until = open;
    for (;;) {
      const found = this.#matcher.next(text, from);
      if (found === undefined || found.start >= until) break;
      if (found.end > until) {
        until = found.start;
        break;
      }
      clean += text.slice(from, found.start) + placeholder(found.name);
      from = found.end;
    }
    this.#held = text.slice(until);
    return clean + text.slice(from, until);
  }
}

/** Hides keys of well-known formats. */
class KeyStream implements TextStream {
  /** Last characters returned: a key does not begin within a word. */
  #before = '';
  #held = '';
  /** Format of a key that was longer than the buffer; the rest of it is dropped. */
  #dropping: KeyFormat | undefined;

  add(piece: string): string {
    const text = this.#held + this.#withoutRest(piece);
    if (text === '') return '';
    const whole = this.#before + text;
    const open = openKeyAt(whole, this.#before.length);
    return whole.length - open < longestKey ? this.#upTo(open, whole) : this.#all(whole);
  }

  end(): string {
    const whole = this.#before + this.#held;
    return this.#upTo(whole.length, whole);
  }

  /** Releases everything, because the held text has become too long to wait for its end. */
  #all(whole: string): string {
    return this.#upTo(whole.length, whole, (end, format) => {
      if (end === whole.length) this.#dropping = format;
    });
  }

  #withoutRest(piece: string): string {
    if (this.#dropping === undefined) return piece;
    const length = lengthOfBody(piece, this.#dropping);
    if (length < piece.length) this.#dropping = undefined;
    return piece.slice(length);
  }

  #upTo(
    open: number,
    whole: string,
    note: (end: number, format: KeyFormat) => void = () => undefined,
  ): string {
    let clean = '';
    let from = this.#before.length;
    let until = open;
    for (;;) {
      const found = nextKey(whole, from);
      if (found === undefined || found.matchStart >= until) break;
      if (found.end > until) {
        until = found.matchStart;
        break;
      }
      clean += whole.slice(from, found.start) + placeholder(found.name);
      note(found.end, found.format);
      from = found.end;
    }
    clean += whole.slice(from, until);
    this.#held = whole.slice(until);
    this.#before = whole.slice(Math.max(0, until - lookBehind), until);
    return clean;
  }
}
