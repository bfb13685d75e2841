import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { nextIndex } from './next-index.js';

export interface Tab<Id extends string = string> {
  readonly id: Id;
  readonly title: string;
  /** Shown after the title: how many there are. */
  readonly count?: number;
}

interface TabsProps<Id extends string> {
  /** Name of the tabs, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
  /** Content of the selected tab. */
  readonly children: ComponentChildren;
}

/** Tabs with one stop for the Tab key; arrows, Home and End move between them, and show what they move to. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const current = tabs.findIndex(({ id }) => id === selected);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = nextIndex(event.key, current, tabs.length, { wraps: true, axis: 'x' });
    const tab = next === undefined ? undefined : tabs[next];
    if (next === undefined || tab === undefined) return;
    event.preventDefault();
    onSelect(tab.id);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title, count }, index) => (
          <button
            key={id}
            type="button"
            role="tab"
            class="tab"
            id={`${base}-tab-${index}`}
            aria-selected={id === selected}
            aria-controls={`${base}-panel`}
            tabIndex={id === selected ? 0 : -1}
            onClick={() => onSelect(id)}
          >
            {title}
            {count !== undefined && <span class="muted number"> {count}</span>}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={`${base}-tab-${current}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it may have nothing to focus, and is reached and scrolled all the same
        tabIndex={0}
        class="tab-panel"
      >
        {children}
      </div>
    </div>
  );
}
