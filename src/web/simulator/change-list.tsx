import type { JsonValue } from '../../graph/json.js';
import { isArtifactReference } from '../../run-directory/artifact-reference.js';
import { WholeValue } from '../run/values/whole-value.jsx';
import type { ContextChange } from './context-changes.js';
import type { Simulation } from './simulation.js';

interface ChangeListProps {
  readonly changes: readonly ContextChange[];
  readonly artifacts: Simulation['artifacts'];
}

/** Changes of the context by a step: each value as it was and as it is now. */
export function ChangeList({ changes, artifacts }: ChangeListProps) {
  const whole = (value: JsonValue): JsonValue =>
    isArtifactReference(value) && artifacts.has(value.$artifact)
      ? artifacts.retrieve(value.$artifact)
      : value;
  return (
    <details class="small">
      <summary>
        {changes.length} {changes.length === 1 ? 'change' : 'changes'} of the context
      </summary>
      <dl class="changes">
        {changes.map(({ key, before, after }) => (
          <div key={key}>
            <dt class="mono">{key}</dt>
            <dd>
              {before !== undefined && <Value tag="del" name={key} value={whole(before)} />}{' '}
              {after !== undefined && <Value tag="ins" name={key} value={whole(after)} />}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

interface ValueProps {
  readonly tag: 'del' | 'ins';
  readonly name: string;
  readonly value: JsonValue;
}

/** Characters of a value that is shown in the line. */
const longestInLine = 60;

function Value({ tag: Tag, name, value }: ValueProps) {
  const text = JSON.stringify(value);
  const isSimple = typeof value !== 'object' || text.length <= 2 || value === null;
  if (isSimple && text.length <= longestInLine) return <Tag>{text}</Tag>;
  return (
    <Tag class="change-value">
      <WholeValue name={`${name}${Tag === 'del' ? ', as it was' : ''}`} value={value} />
    </Tag>
  );
}
