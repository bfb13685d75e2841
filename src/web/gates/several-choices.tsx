import { useState } from 'preact/hooks';
import { Button } from '../ui/button.jsx';
import { KeyHint } from '../ui/key-hint.jsx';
import type { Choice } from './accelerators.js';
import type { AnswerControl } from './answer-control.js';
import { useAccelerators } from './use-accelerators.js';

interface SeveralChoicesProps extends AnswerControl {
  readonly choices: readonly Choice[];
}

/** A box for each choice, of which one or more may be ticked; keys tick them, and the button answers. */
export function SeveralChoices({ choices, labelledBy, isBusy, hasKeys, onAnswer }: SeveralChoicesProps) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const toggle = ({ answer }: Choice): void =>
    setTicked(
      (before) =>
        new Set(before.has(answer) ? [...before].filter((one) => one !== answer) : [...before, answer]),
    );
  useAccelerators(hasKeys && !isBusy, choices, toggle);
  // In the order of the list, not in that of the ticks.
  const answer = choices.map((choice) => choice.answer).filter((one) => ticked.has(one));
  return (
    <form
      class="stack"
      aria-labelledby={labelledBy}
      onSubmit={(event) => {
        event.preventDefault();
        if (answer.length > 0 && !isBusy) onAnswer(answer.join(','));
      }}
    >
      <ul class="choice-list">
        {choices.map((choice) => (
          <li key={choice.answer}>
            <label class="check">
              <input
                type="checkbox"
                checked={ticked.has(choice.answer)}
                disabled={isBusy}
                aria-keyshortcuts={hasKeys ? choice.accelerator : undefined}
                onChange={() => toggle(choice)}
              />
              {hasKeys && choice.accelerator !== undefined && <KeyHint keys={choice.accelerator} />}
              <span>{choice.label}</span>
              {choice.isDefault && <span class="choice-default">default</span>}
            </label>
          </li>
        ))}
      </ul>
      <div class="row">
        <Button type="submit" look="primary" isBusy={isBusy} disabled={answer.length === 0}>
          {answer.length === 0 ? 'Choose one or more' : `Answer with ${answer.length}`}
        </Button>
      </div>
    </form>
  );
}
