import { contextAt } from './completion/edit-context.js';
import type { PipelineText } from './text/pipeline-text.js';
import { languageOf } from './text/value-language.js';

/** Form of a comparison, with the part that is being written. */
export interface Signature {
  readonly label: string;
  readonly explanation: string;
  readonly parameters: readonly string[];
  readonly active: number;
}

interface Form {
  /** Matches what is written of it, from the key on. */
  readonly pattern: RegExp;
  readonly label: string;
  readonly explanation: string;
  readonly parameters: readonly [string, string];
}

const key = String.raw`[\w.*-]+\s*`;

/** Forms of comparisons (SEMANTICS §12), those with longer operators first. */
const forms: readonly Form[] = [
  {
    pattern: new RegExp(`^${key}(?:not\\s+)?in\\s*\\[?[^\\]]*$`),
    label: 'KEY in [WORD, …]',
    explanation: 'True if the value is one of the list; `not in` if it is not.',
    parameters: ['KEY', '[WORD, …]'],
  },
  {
    pattern: new RegExp(`^${key}contains\\s*\\S*$`),
    label: 'KEY contains TEXT',
    explanation: 'True if the text has this part, or the list this item.',
    parameters: ['KEY', 'TEXT'],
  },
  {
    pattern: new RegExp(`^${key}matches\\s*.*$`),
    label: 'KEY matches PATTERN',
    explanation: 'True if the regular expression (RE2) matches a part of the text.',
    parameters: ['KEY', 'PATTERN'],
  },
  {
    pattern: new RegExp(`^${key}(?:[<>]=?)\\s*\\S*$`),
    label: 'KEY < NUMBER',
    explanation: 'Compares numbers; a value that is not a number makes the condition false.',
    parameters: ['KEY', 'NUMBER'],
  },
  {
    pattern: new RegExp(`^${key}(?:!=|==?)[^&|]*$`),
    label: 'KEY = TEXT',
    explanation: 'Compares texts; `!=` is true for another text and for no value.',
    parameters: ['KEY', 'TEXT'],
  },
];

const exists: Signature = {
  label: 'exists KEY',
  explanation: 'True if the key has a value that is not null.',
  parameters: ['KEY'],
  active: 0,
};

/** Form of the comparison that is being written in a condition. */
export function signatureAt({ text }: PipelineText, offset: number): Signature | undefined {
  const place = contextAt(text, offset);
  if (place.kind !== 'attribute_value' || !place.isQuoted) return undefined;
  if (languageOf(place.owner, place.name) !== 'condition') return undefined;
  const clause = place.text.slice(clauseStart(place.text)).replace(/^[\s!]+/, '');
  if (/^exists\s+\S*$/.test(clause)) return exists;
  const form = forms.find(({ pattern }) => pattern.test(clause));
  if (form === undefined) return undefined;
  const { label, explanation, parameters } = form;
  return { label, explanation, parameters, active: 1 };
}

function clauseStart(written: string): number {
  let start = 0;
  for (const { 0: sign, index } of written.matchAll(/&&|\|\||\(/g)) start = index + sign.length;
  return start;
}
