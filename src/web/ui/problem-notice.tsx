import type { DiagnosticJson } from '../../server/api/problem.js';
import { type Failure, failureMessage, sentence } from '../api/failure.js';
import { Button } from './button.jsx';

interface ProblemProps {
  readonly failure: Failure;
  /** Offers to try again. */
  readonly onRetry?: () => void;
}

/** Says why something is not there, in the words of the server, with the findings that belong to it. */
export function ProblemNotice({ failure, onRetry }: ProblemProps) {
  const findings = failure.kind === 'refused' ? (failure.problem.diagnostics ?? []) : [];
  return (
    <div class="notice" data-state="failed" role="alert">
      <p>{failureMessage(failure)}</p>
      {findings.length > 0 && <Findings findings={findings} />}
      {onRetry && (
        <div>
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  );
}

function Findings({ findings }: { readonly findings: readonly DiagnosticJson[] }) {
  return (
    <ul class="findings">
      {findings.map(({ rule, line, column, message }) => (
        <li key={`${rule} ${line}:${column} ${message}`}>
          <span class="muted number">
            {line}:{column}
          </span>{' '}
          {sentence(message)} <code>{rule}</code>
        </li>
      ))}
    </ul>
  );
}
