import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Effect of a key on a screen. */
export interface Shortcut {
  /** Names of the keys in the browser (`KeyboardEvent.key`): any of them works. */
  readonly keys: readonly string[];
  readonly what: string;
  /** Missing for keys that are only listed here: something else handles them. */
  readonly run?: (event: KeyboardEvent) => void;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** All current shortcuts, for the help. */
export const shortcutGroups = signal<readonly ShortcutGroup[]>([]);

/** Makes keys work anywhere on the page while the component is mounted, but not in text fields. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  // What is in sight heeds its keys.
  useLayoutEffect(() => {
    const group = { title, shortcuts: latest.current };
    shortcutGroups.value = [...shortcutGroups.value, group];
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || !isForPage(event)) return;
      const found = latest.current.find(({ keys, run }) => run !== undefined && keys.includes(event.key));
      if (found?.run === undefined) return;
      event.preventDefault();
      found.run(event);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      shortcutGroups.value = shortcutGroups.value.filter((other) => other !== group);
    };
  }, [title]);
}

/** Elements in which a key writes or chooses; those of an editor lie in a shadow, where only the path of an event leads. */
const keyTakers =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]:not([contenteditable=false])';

/** True if a key is meant for the page: not for a text field, a list or a dialog. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (document.querySelector('dialog[open]') !== null) return false;
  return !event.composedPath().some((node) => node instanceof Element && node.matches(keyTakers));
}
