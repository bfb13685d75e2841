import { acceleratorKey, labelWithoutKey } from '../../graph/labels.js';
import type { OpenQuestionJson } from '../../server/api/question.js';

/** Something that a question can be answered with, by a button or a key. */
export interface Choice {
  /** Answer to be sent. */
  readonly answer: string;
  /** Without the key, where that is shown next to it. */
  readonly label: string;
  /** The key that chooses it, as it is shown; undefined where no single key says it, or another choice has it. */
  readonly accelerator: string | undefined;
  /** True for the default when the time is up. */
  readonly isDefault: boolean;
}

/** The choices of a question, none where any text is an answer (§4.6, §6.2). */
export function answerChoices(question: OpenQuestionJson): readonly Choice[] {
  const taken = new Set<string>();
  return optionsOf(question).map(({ key, label }) => {
    const wanted = [...key].length === 1 ? key.toUpperCase() : undefined;
    const accelerator = wanted === undefined || taken.has(wanted) ? undefined : wanted;
    if (accelerator !== undefined) taken.add(accelerator);
    return {
      answer: key,
      label: acceleratorKey(label)?.toUpperCase() === accelerator ? labelWithoutKey(label) : label,
      accelerator,
      isDefault: isMeant(question.default, key, label),
    };
  });
}

/** Choice for a key, in either case. */
export function choiceFor(choices: readonly Choice[], key: string): Choice | undefined {
  return choices.find(({ accelerator }) => accelerator === key.toUpperCase());
}

function optionsOf({ type, options }: OpenQuestionJson): OpenQuestionJson['options'] {
  switch (type) {
    case 'MULTIPLE_CHOICE':
      return options;
    case 'YES_NO':
      return [
        { key: 'Y', label: 'Yes' },
        { key: 'N', label: 'No' },
      ];
    case 'CONFIRMATION':
      return [
        { key: 'Y', label: 'Confirm' },
        { key: 'N', label: 'Decline' },
      ];
    case 'FREEFORM':
      return [];
  }
}

/** A default is the words of an answer, which may be the key or the label of a choice, or `YES` and `NO` in full. */
function isMeant(fallback: string | null, key: string, label: string): boolean {
  if (fallback === null) return false;
  const words = fallback.trim().toUpperCase();
  if (words === key.toUpperCase() || words === label.toUpperCase()) return true;
  return words === (key === 'Y' ? 'YES' : key === 'N' ? 'NO' : undefined);
}
