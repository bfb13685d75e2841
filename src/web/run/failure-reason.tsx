import type { ComponentChildren } from 'preact';
import { AnsiText } from './inspector/ansi-text.jsx';

interface FailureReasonProps {
  readonly reason: string;
  /** False where the stage succeeded all the same, as one with `allow_partial` does. */
  readonly isFailure?: boolean;
  /** Content before it. */
  readonly children?: ComponentChildren;
}

/** Reason of a failed stage or run, line by line: for a tool it has the last lines of its output. */
export function FailureReason({ reason, isFailure = true, children }: FailureReasonProps) {
  return (
    <div
      class={isFailure ? 'notice failure' : 'notice'}
      data-state={isFailure ? 'failed' : undefined}
      tabIndex={reason.includes('\n') ? 0 : undefined}
    >
      <p class="reason">
        {children}
        <AnsiText text={reason} />
      </p>
    </div>
  );
}
