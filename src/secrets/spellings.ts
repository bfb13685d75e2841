import { looksRandom } from './public-values.js';
import { shortestSecret } from './secret.js';

/**
 * The ways in which a value may be written: as it is, in JSON, in JSON within JSON, in an address, in base64 wherever it
 * begins there, and each line of a value with several.
 */
export function spellingsOf(value: string): ReadonlySet<string> {
  const inJson = jsonInner(value);
  const inAddress = encoded(value);
  const spellings = [
    value,
    ...linesOf(value),
    inJson,
    jsonInner(inJson),
    inAddress,
    inAddress.replaceAll('%20', '+'),
    inAddress.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    ...base64Of(value),
  ];
  return new Set(spellings.filter((text) => text.length >= shortestSecret));
}

function jsonInner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What is no text in UTF-16 cannot be in an address either. */
function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Of a key that is a file the lines with its secret, in case they are printed alone. */
function linesOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.length === 1 ? [] : lines.filter(looksRandom);
}

/** What is the same in every text of base64 that the value is in, for each of the three places where it may begin. */
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
