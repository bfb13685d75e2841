import type { Diagnostic, Fix } from '../../diagnostic/diagnostic.js';
import type { SourceText } from '../../diagnostic/source.js';
import { sentence } from '../api/failure.js';
import { Button } from '../ui/button.jsx';

interface ProblemListProps {
  readonly diagnostics: readonly Diagnostic[];
  readonly source: SourceText;
  readonly onGoTo: (offset: number) => void;
  readonly onFix: (fix: Fix) => void;
}

const mostShown = 100;

/** Everything that was found in the text: a click goes there, a button makes the change. */
export function ProblemList({ diagnostics, source, onGoTo, onFix }: ProblemListProps) {
  if (diagnostics.length === 0)
    return (
      <p class="muted playground-fine" role="status">
        No problems: this pipeline can run.
      </p>
    );
  const more = diagnostics.length - mostShown;
  return (
    <>
      <ul class="problems">
        {diagnostics.slice(0, mostShown).map((diagnostic) => (
          <Problem
            key={`${diagnostic.rule} ${diagnostic.span.start} ${diagnostic.message}`}
            {...{ diagnostic, source, onGoTo, onFix }}
          />
        ))}
      </ul>
      {more > 0 && <p class="muted playground-fine">And {more} more.</p>}
    </>
  );
}

interface ProblemProps extends Omit<ProblemListProps, 'diagnostics'> {
  readonly diagnostic: Diagnostic;
}

function Problem({ diagnostic, source, onGoTo, onFix }: ProblemProps) {
  const { rule, severity, message, span, fix } = diagnostic;
  const { line, column } = source.positionAt(span.start);
  return (
    <li class="problem" data-severity={severity}>
      <button type="button" class="problem-place" onClick={() => onGoTo(span.start)}>
        <span class="problem-severity">{severity}</span>
        <span class="number muted">
          {line}:{column}
        </span>{' '}
        {sentence(message)} <code>{rule}</code>
      </button>
      {fix !== undefined && fix.edits.length > 0 && (
        <Button onClick={() => onFix(fix)} title={fix.title}>
          Fix: {fix.title}
        </Button>
      )}
    </li>
  );
}
