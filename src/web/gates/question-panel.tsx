import { useId, useRef, useState } from 'preact/hooks';
import './gates.css';
import type { AnsweredQuestion, OpenQuestionJson } from '../../server/api/question.js';
import type { EnclosingItem } from '../../view/enclosing-items.js';
import { type Failure, failureMessage, failureOf } from '../api/failure.js';
import { part, requestJson } from '../api/request.js';
import { ProblemNotice } from '../ui/problem-notice.jsx';
import { Age } from '../ui/times.jsx';
import { tell } from '../ui/toasts.jsx';
import { answerChoices, type Choice } from './accelerators.js';
import { ChoiceButtons } from './choice-buttons.jsx';
import { FreeText } from './free-text.jsx';
import { SeveralChoices } from './several-choices.jsx';
import { TimeLeft } from './time-left.jsx';

export interface QuestionPanelProps {
  readonly runId: string;
  readonly question: OpenQuestionJson;
  /** Items of lists that it is about, the outermost first. */
  readonly items: readonly EnclosingItem[];
  /** True if keys anywhere on the page answer it: only one of several questions can have them. */
  readonly hasKeys: boolean;
  /** Called when it was answered, here or elsewhere, so that the data is reloaded. */
  readonly onAnswered: () => void;
}

/**
 * Question of a run, to be answered by mouse, by keyboard, or with a screen reader (§6.2, §9.5): each has a
 * separate panel.
 */
export function QuestionPanel({ runId, question, items, hasKeys, onAnswered }: QuestionPanelProps) {
  const id = useId();
  const choices = answerChoices(question);
  const [words, setWords] = useState('');
  const { send, isBusy, failure } = useAnswer(runId, question, { choices, words }, onAnswered);
  const control = {
    isBusy: isBusy || question.answered,
    hasKeys: hasKeys && !question.answered,
    onAnswer: send,
  };
  return (
    <section class="question" aria-labelledby={`${id}-text ${id}-place`}>
      <p class="question-head">
        <span id={items.length === 0 ? `${id}-place` : undefined}>
          <span class="mono">{question.stage}</span>
          {question.branch !== null && items.length === 0 && (
            <>
              {' '}
              in branch <span class="mono">{question.branch}</span>
            </>
          )}{' '}
          asks
        </span>
        {items.length > 0 && (
          <span id={`${id}-place`} class="question-items">
            {items.map(({ number, count, text }) => (
              <span key={`${number} ${text}`}>
                item {number} of {count.toLocaleString()}: <span class="mono">{text}</span>
              </span>
            ))}
          </span>
        )}
        <Age at={question.asked_at} />
        <TimeLeft question={question} choices={choices} />
      </p>
      <h2 class="question-text" id={`${id}-text`}>
        {question.text}
      </h2>
      {question.details !== null && <p class="question-details">{question.details}</p>}
      {question.words !== null && question.type !== 'FREEFORM' && (
        <label class="field question-words">
          Text {question.words === 'required' ? '(required)' : '(optional)'}
          <textarea
            rows={3}
            value={words}
            readOnly={control.isBusy}
            required={question.words === 'required'}
            maxLength={100_000}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </label>
      )}
      {question.type === 'FREEFORM' ? (
        <FreeText labelledBy={`${id}-text`} {...control} />
      ) : question.multi_select ? (
        <SeveralChoices choices={choices} labelledBy={`${id}-text`} {...control} />
      ) : (
        <ChoiceButtons choices={choices} labelledBy={`${id}-text`} {...control} />
      )}
      {question.answered && (
        <p class="muted small" role="status">
          The question is answered; the run has not taken the answer yet. If no process executes the run, it
          takes the answer when it is resumed.
        </p>
      )}
      {failure && <ProblemNotice failure={failure} />}
    </section>
  );
}

function useAnswer(
  runId: string,
  question: OpenQuestionJson,
  { choices, words }: { readonly choices: readonly Choice[]; readonly words: string },
  onAnswered: () => void,
) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  // Two keys may come before the page is rendered again.
  const isSent = useRef(false);
  const send = async (answer: string): Promise<void> => {
    if (isSent.current) return;
    isSent.current = true;
    setBusy(true);
    setFailure(undefined);
    try {
      const path = `pipelines/${part(runId)}/questions/${part(question.id)}/answer`;
      const text = words.trim() === '' ? undefined : words;
      const taken = await requestJson<AnsweredQuestion>(path, { method: 'POST', body: { answer, text } });
      tell(describeAnswered(question, taken, choices));
      onAnswered();
    } catch (error) {
      const found = failureOf(error);
      isSent.current = false;
      if (found.kind === 'refused' && found.problem.error.code === 'conflict') {
        // It was answered elsewhere, or the run has continued: the question is about to disappear, but the
        // message must stay until it was read.
        tell(`Too late. ${failureMessage(found)}`, 'failed');
        onAnswered();
      } else setFailure(found);
    } finally {
      setBusy(false);
    }
  };
  return { send, isBusy, failure };
}

function describeAnswered(
  { stage, branch }: OpenQuestionJson,
  { value, label, delivery }: AnsweredQuestion,
  choices: readonly Choice[],
): string {
  const chosen = choices.find(({ answer }) => answer === value);
  const answered = `Answered ${branch === null ? stage : `${stage} in ${branch}`}: ${chosen?.label ?? label ?? value}`;
  switch (delivery) {
    case 'taken':
      return answered;
    case 'kept':
      return `${answered}. No process executes the run now; it takes the answer when it is resumed.`;
    case 'waiting':
      return `${answered}. The process that executes the run has not taken it yet.`;
  }
}
