import { useId, useState } from 'preact/hooks';
import { Button } from '../ui/button.jsx';
import { KeyHint } from '../ui/key-hint.jsx';
import type { AnswerControl } from './answer-control.js';

/** A field for an answer in one's own words. */
export function FreeText({ labelledBy, isBusy, onAnswer }: AnswerControl) {
  const [text, setText] = useState('');
  const hint = useId();
  const isEmpty = text.trim() === '';
  const send = (): void => {
    if (!isEmpty && !isBusy) onAnswer(text);
  };
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        rows={4}
        value={text}
        readOnly={isBusy}
        maxLength={100_000}
        aria-labelledby={labelledBy}
        aria-describedby={hint}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="row">
        <Button type="submit" look="primary" isBusy={isBusy} disabled={isEmpty}>
          Answer
        </Button>
        <span class="muted small" id={hint}>
          <KeyHint keys="Ctrl" /> <KeyHint keys="Enter" /> answers
        </span>
      </div>
    </form>
  );
}
