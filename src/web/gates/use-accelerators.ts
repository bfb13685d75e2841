import { useLayoutEffect, useRef } from 'preact/hooks';
import { isForPage } from '../ui/shortcuts.js';
import { type Choice, choiceFor } from './accelerators.js';

/**
 * Makes the keys of choices work anywhere on the page, before the keys of the page itself, but not in text
 * fields.
 */
export function useAccelerators(
  isOn: boolean,
  choices: readonly Choice[],
  onChoice: (choice: Choice) => void,
): void {
  const latest = useRef({ choices, onChoice });
  latest.current = { choices, onChoice };
  // A choice that is in sight is one that can be pressed.
  useLayoutEffect(() => {
    if (!isOn) return undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      // A key that is held down must not answer the next question too.
      if (event.repeat || !isForPage(event)) return;
      const choice = choiceFor(latest.current.choices, event.key);
      if (choice === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current.onChoice(choice);
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [isOn]);
}
