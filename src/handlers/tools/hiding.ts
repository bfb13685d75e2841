import { type Literal, literalMatcher } from '../../secrets/literal-matcher.js';
import { textStream } from '../../secrets/text-stream.js';

/**
 * Removes secrets from bytes that come in pieces; a possible beginning of one is held back until more
 * comes.
 */
export interface ByteStream {
  add(bytes: Buffer): Buffer;
  end(): Buffer;
}

/** Begins an output from which certain secrets are removed. */
export type Hiding = () => ByteStream;

/** Treats bytes as characters, because they need not be text in UTF-8, and may be cut anywhere. */
export function hidingOf(literals: readonly Literal[]): Hiding {
  const asBytes = literals.map(({ text, name, isWrapped }) => ({
    text: characters(Buffer.from(text)),
    name,
    isWrapped,
  }));
  const matcher = asBytes.length === 0 ? undefined : literalMatcher(asBytes);
  return () => {
    const stream = textStream(matcher);
    return {
      add(bytes) {
        const text = characters(bytes);
        const clean = stream.add(text);
        return clean === text ? bytes : Buffer.from(clean, 'latin1');
      },
      end: () => Buffer.from(stream.end(), 'latin1'),
    };
  };
}

function characters(bytes: Buffer): string {
  return bytes.toString('latin1');
}
