import { type AnsiPart, ansiParts } from './ansi.js';

/** Text of a program in its colours. */
export function AnsiText({ text }: { readonly text: string }) {
  return (
    <>
      {ansiParts(text).map(({ text: words, colour, isBold }: AnsiPart, index) =>
        colour === undefined && !isBold ? (
          words
        ) : (
          <span key={index} data-ansi={colour} class={isBold ? 'ansi-bold' : undefined}>
            {words}
          </span>
        ),
      )}
    </>
  );
}

/** The same without its colours, to be copied. */
export function plainText(text: string): string {
  return ansiParts(text)
    .map(({ text: words }) => words)
    .join('');
}
