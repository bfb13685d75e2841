import type { Answer, Question } from '../../machine/interview.js';
import { lacksWords } from './match-answer.js';
import { selectedOptions } from './multi-select.js';

/**
 * True for an answer that its question allows (§6.2, §6.3): one of its options, yes or no, any text. A
 * person may always skip; `TIMEOUT` means that there is no answer.
 * @param answer as returned by `readAnswer`
 */
export function isFittingAnswer(question: Question, answer: Answer): boolean {
  if (answer.value === 'SKIPPED') return true;
  if (answer.value === 'TIMEOUT' || lacksWords(question, answer)) return false;
  switch (question.type) {
    case 'MULTIPLE_CHOICE': {
      const keys = new Set(question.options.map(({ key }) => key));
      const selected = selectedOptions(answer);
      return selected.length > 0 && selected.every(({ key }) => keys.has(key));
    }
    case 'YES_NO':
    case 'CONFIRMATION':
      return answer.value === 'YES' || answer.value === 'NO';
    case 'FREEFORM':
      return true;
  }
}
