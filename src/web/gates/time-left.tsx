import type { OpenQuestionJson } from '../../server/api/question.js';
import { formatDuration } from '../../view/format-duration.js';
import { useNow } from '../ui/now.js';
import type { Choice } from './accelerators.js';
import { timeLeftOf } from './time-left-of.js';

interface TimeLeftProps {
  readonly question: OpenQuestionJson;
  readonly choices: readonly Choice[];
}

/** Remaining time for an answer, and the consequence; nothing for a question without a timeout. */
export function TimeLeft(props: TimeLeftProps) {
  return props.question.timeout_seconds === null ? null : <Countdown {...props} />;
}

function Countdown({ question, choices }: TimeLeftProps) {
  const left = timeLeftOf(question, useNow()) ?? 0;
  const fallback = choices.find(({ isDefault }) => isDefault)?.label ?? question.default;
  if (left === 0) return <span>the time is up</span>;
  const seconds = Math.ceil(left / 1000);
  return (
    <span class="number">
      {seconds < 60 ? `${seconds}s` : formatDuration(seconds * 1000)} left
      {fallback !== null && <>, then “{fallback}” counts</>}
    </span>
  );
}
