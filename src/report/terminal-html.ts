import { terminalParts } from '../diagnostic/terminal-text.js';
import { type Html, html } from './html.js';

/** Text of a program in its colours. */
export function terminalHtml(text: string): Html {
  const parts = terminalParts(text).map(({ text: words, colour, isBold }) => {
    if (colour === undefined && !isBold) return html`${words}`;
    const classes = [...(colour === undefined ? [] : [`ansi-${colour}`]), ...(isBold ? ['ansi-bold'] : [])];
    return html`<span class="${classes.join(' ')}">${words}</span>`;
  });
  return html`${parts}`;
}
