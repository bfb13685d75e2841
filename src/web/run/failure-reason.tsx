import type { ComponentChildren } from 'preact';
import { AnsiText } from './inspector/ansi-text.jsx';

interface FailureReasonProps {
  readonly reason: string;
  /** Content before it. */
  readonly children?: ComponentChildren;
}

/** Reason of a failed stage or run, line by line: for a tool it has the last lines of its output. */
export function FailureReason({ reason, children }: FailureReasonProps) {
  return (
    <div class="notice failure" data-state="failed" tabIndex={reason.includes('\n') ? 0 : undefined}>
      <p class="reason">
        {children}
        <AnsiText text={reason} />
      </p>
    </div>
  );
}
