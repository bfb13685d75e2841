import type { RefObject } from 'preact';
import { Icon } from '../ui/icon.jsx';
import { KeyHint } from '../ui/key-hint.jsx';

interface SearchFieldProps {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** Searches ids, names and goals; Escape empties it. */
export function SearchField({ field, value, onInput }: SearchFieldProps) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        ref={field}
        class="input"
        type="search"
        aria-label="Search the runs by name, goal or id"
        placeholder="Search name, goal or id"
        value={value}
        maxLength={200}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          onInput('');
          event.currentTarget.blur();
        }}
      />
      {value === '' && <KeyHint keys="/" />}
    </div>
  );
}
