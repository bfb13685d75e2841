import { printable, printableLines } from '../../diagnostic/printable.js';
import { describeChoice } from '../../graph/choices.js';
import type { Question } from '../../machine/interview.js';
import { isMultiSelect } from './multi-select.js';

/**
 * Question as a person reads it (§6.4): the text, the further details of the stage, and the choices; safe
 * for a terminal.
 */
export function questionText({ text, options, metadata }: Question): string {
  const details = typeof metadata?.prompt === 'string' ? `${indent(printableLines(metadata.prompt))}\n` : '';
  const choices = options.map((option) => `    ${printable(describeChoice(option))}\n`).join('');
  return `[?] ${printableLines(text)}\n${details}${choices}`;
}

/** Possible answers, in a few words. */
export function expectedAnswer(question: Question): string {
  const expected = expectedChoice(question);
  if (question.words === undefined || question.type === 'FREEFORM') return expected;
  return question.words === 'required'
    ? `${expected}, then a tab and a text`
    : `${expected}; a text may follow after a tab`;
}

function expectedChoice(question: Question): string {
  switch (question.type) {
    case 'MULTIPLE_CHOICE': {
      const keys = question.options.map(({ key }) => printable(key)).join(', ');
      return isMultiSelect(question) ? `one or more of ${keys}, separated by commas` : keys;
    }
    case 'YES_NO':
    case 'CONFIRMATION':
      return 'Y or N';
    case 'FREEFORM':
      return 'any text';
  }
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
