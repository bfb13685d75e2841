import { useState } from 'preact/hooks';
import { acceleratorKey } from '../../graph/labels.js';
import type { Question } from '../../machine/interview.js';
import { Button } from '../ui/button.jsx';

interface QuestionFormProps {
  readonly question: Question;
  readonly branch: string;
  readonly onAnswer: (typed: string) => void;
}

/** A question that a stage asks: its options as buttons, or a field (§6.2). */
export function QuestionForm({ question, branch, onAnswer }: QuestionFormProps) {
  const [text, setText] = useState('');
  const { stage, type } = question;
  const options = optionsOf(question);
  return (
    <form
      class="stage-form"
      aria-label={`Question of ${stage}${branch === '' ? '' : `, ${branch}`}`}
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(text);
      }}
    >
      <p class="stage-form-title">
        <strong>{stage}</strong> <span class="muted small">asks{branch === '' ? '' : ` · ${branch}`}</span>
      </p>
      <p>{question.text}</p>
      <div class="row">
        {options.map(({ key, label }) => (
          <Button key={key} onClick={() => onAnswer(key)}>
            {acceleratorKey(label) === key ? label : `[${key}] ${label}`}
          </Button>
        ))}
      </div>
      {type === 'FREEFORM' && (
        <>
          <label class="field">
            Answer
            <input value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <div>
            <Button type="submit">Answer</Button>
          </div>
        </>
      )}
    </form>
  );
}

function optionsOf({ type, options }: Question): Question['options'] {
  if (type !== 'YES_NO' && type !== 'CONFIRMATION') return options;
  return options.length > 0
    ? options
    : [
        { key: 'Y', label: 'Yes' },
        { key: 'N', label: 'No' },
      ];
}
