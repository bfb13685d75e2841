import { useEffect, useRef } from 'preact/hooks';
import type { OpenQuestionJson } from '../../server/api/question.js';
import type { EnclosingItem } from '../../view/enclosing-items.js';
import { part } from '../api/request.js';
import { ProblemNotice } from '../ui/problem-notice.jsx';
import { useResource } from '../ui/use-resource.js';
import { QuestionPanel } from './question-panel.jsx';

interface RunQuestionsProps {
  readonly runId: string;
  /** Changes whenever something was asked or answered, as the events say: the questions are then asked for again. */
  readonly version: number;
  /** Items that a branch is about. */
  readonly itemsOf: (branch: string) => readonly EnclosingItem[];
}

/**
 * Interval in milliseconds, because a child run asks in its own journal, without an event of the run above.
 */
const pollMs = 5000;

/** Open questions of a run; the keys of the page belong to the first unanswered one. */
export function RunQuestions({ runId, version, itemsOf }: RunQuestionsProps) {
  const path = `pipelines/${part(runId)}/questions`;
  const { data, failure, reload } = useResource<{ readonly questions: readonly OpenQuestionJson[] }>(path, {
    pollMs,
  });
  const known = useRef(version);
  useEffect(() => {
    if (known.current !== version) reload();
    known.current = version;
  }, [version, reload]);
  const questions = data?.questions ?? [];
  const place = useFocusKept(questions.length);
  const withKeys = questions.find(({ answered }) => !answered)?.id;
  return (
    <>
      <div class="visually-hidden" role="status">
        {questions.length > 0 && `The run asks: ${questions.map(({ text }) => text).join('; ')}`}
      </div>
      {failure?.kind === 'refused' && <ProblemNotice failure={failure} onRetry={reload} />}
      <div class={questions.length > 0 ? 'questions' : undefined} ref={place} tabIndex={-1}>
        {questions.map((question) => (
          <QuestionPanel
            key={question.id}
            runId={runId}
            question={question}
            items={question.branch === null ? [] : itemsOf(question.branch)}
            hasKeys={question.id === withKeys}
            onAnswered={reload}
          />
        ))}
      </div>
    </>
  );
}

/** Keeps the focus here when the focused question disappears, instead of at the top of the page. */
function useFocusKept(count: number) {
  const place = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    const element = place.current;
    if (hadFocus.current && document.activeElement === document.body) element?.focus({ preventScroll: true });
    const note = (): void => {
      hadFocus.current = element?.contains(document.activeElement) ?? false;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [count]);
  return place;
}
