import { useState } from 'preact/hooks';
import { counted } from '../../../diagnostic/counted.js';
import type { JsonValue } from '../../../graph/json.js';

/** Members of a list or map that are shown at first, and with each further step. */
const membersShown = 100;

/** Characters of a text within a tree that are shown at first. */
const textShown = 600;

type Container = Exclude<JsonValue, string | number | boolean | null>;

/** A JSON value whose lists and maps fold. Members exist on the page only once they are unfolded. */
export function JsonTree({ value }: { readonly value: JsonValue }) {
  return (
    <div class="tree text">
      <Branch value={value} isFirst={true} />
    </div>
  );
}

interface BranchProps {
  readonly value: JsonValue;
  /** Key of a member of a map. */
  readonly name?: string | undefined;
  /** Comma after it. */
  readonly after?: string;
  readonly isFirst?: boolean;
}

function Branch({ value, name, after = '', isFirst = false }: BranchProps) {
  const [isOpen, setOpen] = useState(isFirst || sizeOf(value) <= 5);
  const before = name !== undefined && (
    <>
      <span class="tree-key">{JSON.stringify(name)}</span>
      {': '}
    </>
  );
  if (typeof value !== 'object' || value === null)
    return (
      <>
        {before}
        <Leaf value={value} />
        {after}
      </>
    );
  const isList = Array.isArray(value);
  const [opening, closing] = isList ? ['[', ']'] : ['{', '}'];
  const size = sizeOf(value);
  if (size === 0)
    return (
      <>
        {before}
        {opening}
        {closing}
        {after}
      </>
    );
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {before}
        {opening}
        {!isOpen && (
          <span class="muted">
            {' '}
            {counted(size, isList ? 'item' : 'key')} {closing}
          </span>
        )}
      </summary>
      {isOpen && <Members value={value} size={size} />}
      {isOpen && closing}
      {isOpen && after}
    </details>
  );
}

function sizeOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function Members({ value, size }: { readonly value: Container; readonly size: number }) {
  const [shown, setShown] = useState(membersShown);
  const members: readonly (readonly [key: string | undefined, member: JsonValue])[] = Array.isArray(value)
    ? value.slice(0, shown).map((member: JsonValue) => [undefined, member])
    : Object.entries(value).slice(0, shown);
  return (
    <ul>
      {members.map(([key, member], index) => (
        <li key={key ?? index}>
          <Branch name={key} value={member} after={index + 1 < size ? ',' : ''} />
        </li>
      ))}
      {shown < size && (
        <li>
          <button type="button" class="link" onClick={() => setShown(shown + membersShown)}>
            Show {Math.min(membersShown, size - shown)} more of {(size - shown).toLocaleString()}
          </button>
        </li>
      )}
    </ul>
  );
}

function Leaf({ value }: { readonly value: string | number | boolean | null }) {
  const [isWhole, setWhole] = useState(false);
  const text = JSON.stringify(value);
  if (isWhole || text.length <= textShown) return <span data-json={typeof value}>{text}</span>;
  return (
    <span data-json="string">
      {text.slice(0, textShown)}…{' '}
      <button type="button" class="link" onClick={() => setWhole(true)}>
        Show all {text.length.toLocaleString()} characters
      </button>
    </span>
  );
}
