import { type TerminalPart, terminalParts } from '../../../diagnostic/terminal-text.js';

/** Text of a program in its colours. */
export function AnsiText({ text }: { readonly text: string }) {
  return (
    <>
      {terminalParts(text).map(({ text: words, colour, isBold }: TerminalPart, index) =>
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
