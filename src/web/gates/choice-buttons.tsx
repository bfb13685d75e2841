import { Button } from '../ui/button.jsx';
import { KeyHint } from '../ui/key-hint.jsx';
import type { Choice } from './accelerators.js';
import type { AnswerControl } from './answer-control.js';
import { useAccelerators } from './use-accelerators.js';

interface ChoiceButtonsProps extends AnswerControl {
  readonly choices: readonly Choice[];
}

/** A button for each choice; its key is shown where it works. */
export function ChoiceButtons({ choices, labelledBy, isBusy, hasKeys, onAnswer }: ChoiceButtonsProps) {
  useAccelerators(hasKeys && !isBusy, choices, ({ answer }) => onAnswer(answer));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be named by a text elsewhere
    <div class="choices" role="group" aria-labelledby={labelledBy}>
      {choices.map(({ answer, label, accelerator, isDefault }) => (
        <Button
          key={answer}
          class="choice"
          isBusy={isBusy}
          aria-keyshortcuts={hasKeys ? accelerator : undefined}
          onClick={() => onAnswer(answer)}
        >
          {hasKeys && accelerator !== undefined && <KeyHint keys={accelerator} />}
          <span>{label}</span>
          {isDefault && <span class="choice-default">default</span>}
        </Button>
      ))}
    </div>
  );
}
