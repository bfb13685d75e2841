import { formatDuration } from '../../../view/format-duration.js';
import type { StageVisit } from '../../../view/stage-schema.js';
import { AnsiText } from './ansi-text.jsx';

interface ToolUsesProps {
  readonly uses: StageVisit['tool_uses'];
  /** Number of tool calls, including those not kept. */
  readonly count: number;
}

/** The tools that the model of a stage has called, each with what it was given and what it said. */
export function ToolUses({ uses, count }: ToolUsesProps) {
  if (count === 0) return null;
  return (
    <section class="part">
      <h3>
        Tool calls <span class="muted number">{count}</span>
      </h3>
      {uses.length < count && <p class="muted small">The latest {uses.length}.</p>}
      {uses.map(({ tool, input, output, success, duration_ms: duration }, index) => (
        <details key={index}>
          <summary>
            <code>{tool}</code>{' '}
            <span class="muted small">
              {success === null ? 'under way' : success ? 'done' : 'failed'}
              {duration !== null && `, ${formatDuration(duration)}`}
            </span>
          </summary>
          <pre class="text">{input}</pre>
          {output !== null && (
            <pre class="text">
              <AnsiText text={output} />
            </pre>
          )}
        </details>
      ))}
    </section>
  );
}
