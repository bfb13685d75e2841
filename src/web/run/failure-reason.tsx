import type { ComponentChildren } from 'preact';
import { counted } from '../../diagnostic/counted.js';
import { longLines } from '../../view/cut-text.js';
import { AnsiText } from './inspector/ansi-text.jsx';

interface FailureReasonProps {
  readonly reason: string;
  /** False where the stage succeeded all the same, as one with `allow_partial` does. */
  readonly isFailure?: boolean;
  /** Content before it. */
  readonly children?: ComponentChildren;
}

/** Lines of the end that are shown at once. */
const lastLines = 6;

/** Reason of a failed stage or run, line by line: for a tool it has the last lines of its output, of which the end is shown. */
export function FailureReason({ reason, isFailure = true, children }: FailureReasonProps) {
  const long = longLines(reason, lastLines);
  return (
    <div
      class={isFailure ? 'notice failure' : 'notice'}
      data-state={isFailure ? 'failed' : undefined}
      tabIndex={reason.includes('\n') ? 0 : undefined}
    >
      <p class="reason">
        {children}
        <AnsiText text={long?.head ?? reason} />
      </p>
      {long !== undefined && (
        <>
          <details>
            <summary>{counted(long.between.length, 'more line')}</summary>
            <p class="reason">
              <AnsiText text={long.between.join('\n')} />
            </p>
          </details>
          <p class="reason">
            <AnsiText text={long.tail} />
          </p>
        </>
      )}
    </div>
  );
}
