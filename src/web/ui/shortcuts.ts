import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** What a key does on a screen. */
export interface Shortcut {
  /** As the browser names them (`KeyboardEvent.key`): any of them does it. */
  readonly keys: readonly string[];
  readonly what: string;
  /** Left out for keys that something else listens to, and which are only told of. */
  readonly run?: (event: KeyboardEvent) => void;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** All that are there now, for the help. */
export const shortcutGroups = signal<readonly ShortcutGroup[]>([]);

/** Keys that work anywhere on the page while the component is there, but not while somebody writes. */
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

/** Whether a key is meant for the page: nobody writes, chooses in a list or answers a dialog with it. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (document.querySelector('dialog[open]') !== null) return false;
  return !event.composedPath().some((node) => node instanceof Element && node.matches(keyTakers));
}
