import { examples } from './examples.js';

const key = 'attractor.playground.text';

/** The text that this browser kept, or the first example. */
export function keptText(): string {
  return stored() ?? examples[0]?.text ?? '';
}

/** Keeps the text for the next visit; a browser that keeps nothing for us loses it, and nothing else. */
export function keepText(text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Storage is full or switched off; the page has a button that saves a file.
  }
}

function stored(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}
