import { signal } from '@preact/signals';

/** `system`: as the reader's system has it, which may change with the time of day. */
export type ThemeChoice = 'system' | 'light' | 'dark';

const key = 'attractor.theme';

/** Theme that the reader has chosen; kept in this browser. */
export const themeChoice = signal<ThemeChoice>(read());

/** Makes the page look as chosen. */
export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  const { dataset } = document.documentElement;
  if (choice === 'system') delete dataset.theme;
  else dataset.theme = choice;
  try {
    localStorage.setItem(key, choice);
  } catch {
    // A browser may forbid pages to keep anything; the choice then lasts as long as the page.
  }
}

function read(): ThemeChoice {
  try {
    const kept = localStorage.getItem(key);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}
