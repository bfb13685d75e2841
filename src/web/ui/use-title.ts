import { signal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const screenTitle = signal('');
/** Number of waiting questions, shown first in the title: a tab in the background shows it. */
export const waitingQuestions = signal(0);

/** Names the screen in the title of the window. */
export function useTitle(title: string): void {
  useEffect(() => {
    screenTitle.value = title;
  }, [title]);
}

/** Writes the title of the window; the shell does. */
export function useWindowTitle(): void {
  useSignalEffect(() => {
    const count = waitingQuestions.value > 0 ? `(${waitingQuestions.value}) ` : '';
    const screen = screenTitle.value === '' ? '' : `${screenTitle.value} · `;
    document.title = `${count}${screen}attractor`;
  });
}
