import type { ComponentChildren } from 'preact';
import { AnsiText } from './inspector/ansi-text.jsx';

interface FailureReasonProps {
  readonly reason: string;
  /** What stands before it. */
  readonly children?: ComponentChildren;
}

/** Why a stage or a run has failed, line by line: of a tool it has the last lines that it printed. */
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
