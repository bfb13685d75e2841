import type { PipelineText } from '../text/pipeline-text.js';
import { inPath, type KnownValues, valuesOfPath, type WordCompletion } from './known-values.js';
import type { Suggestion } from './suggestion.js';

/** Roots of the paths of values (SEMANTICS §12). */
export const roots: readonly Suggestion[] = [
  { label: 'context', kind: 'key', insert: 'context.', info: 'Keys that stages have set.' },
  { label: 'inputs', kind: 'key', insert: 'inputs.', info: 'Values that the run is given.' },
  { label: 'stages', kind: 'key', insert: 'stages.', info: 'What a stage said, by its name.' },
  { label: 'result', kind: 'key', insert: 'result.', info: 'The outcome of the stage before.' },
  { label: 'graph', kind: 'key', insert: 'graph.', info: 'Attributes of the pipeline.' },
];

const outcomes: readonly Suggestion[] = [
  { label: 'success', kind: 'value', info: 'The stage has done its work.' },
  { label: 'partial_success', kind: 'value', info: 'Part of the work is done; it counts as a success.' },
  { label: 'fail', kind: 'value', info: 'The stage has failed.' },
  { label: 'retry', kind: 'value', info: 'It asks for another attempt, and none is left.' },
  { label: 'skipped', kind: 'value', info: 'The stage was left out.' },
];

const conditionKeys: readonly Suggestion[] = [
  { label: 'outcome', kind: 'key', insert: 'outcome=', info: 'The status of the outcome that routes.' },
  {
    label: 'preferred_label',
    kind: 'key',
    insert: 'preferred_label=',
    info: 'The label that the outcome prefers.',
  },
  { label: 'exists', kind: 'keyword', insert: 'exists ', info: 'True if a key has a value.' },
  {
    label: 'context.last_response',
    kind: 'key',
    info: 'The beginning of what the latest LLM stage answered.',
  },
  { label: 'context.tool.output', kind: 'key', info: 'Output of the latest tool.' },
  { label: 'context.human.gate.selected', kind: 'key', info: 'The key of what a person chose last.' },
];

/** Operators that compare, with what stands on their right. */
const comparisonOperators: readonly Suggestion[] = [
  { label: '=', kind: 'operator', info: 'The same text; numbers and truth values as they are written.' },
  { label: '!=', kind: 'operator', info: 'Another text, or no value.' },
  { label: '<', kind: 'operator', info: 'A smaller number.' },
  { label: '<=', kind: 'operator', info: 'A smaller number, or the same.' },
  { label: '>', kind: 'operator', info: 'A larger number.' },
  { label: '>=', kind: 'operator', info: 'A larger number, or the same.' },
  { label: 'in', kind: 'operator', insert: 'in [', info: 'One of a list: in [low, high].' },
  { label: 'not in', kind: 'operator', insert: 'not in [', info: 'None of a list.' },
  {
    label: 'contains',
    kind: 'operator',
    insert: 'contains ',
    info: 'A text with this part, or a list with this item.',
  },
  {
    label: 'matches',
    kind: 'operator',
    insert: 'matches ',
    info: 'A text that a regular expression matches.',
  },
];

const connectives: readonly Suggestion[] = [
  { label: '&&', kind: 'operator', insert: '&& ', info: 'Both conditions hold.' },
  { label: '||', kind: 'operator', insert: '|| ', info: 'One of the conditions holds.' },
];

/** Completion in a condition that is being written: keys, then operators, then values, then `&&` or `||`. */
export function inCondition(
  written: string,
  pipeline: PipelineText,
  values: KnownValues,
): WordCompletion | undefined {
  const [, compared, value] = /([\w.-]+)\s*(?:!=|==|=)\s*([\w.-]*)$/.exec(written) ?? [];
  if (compared !== undefined && value !== undefined) {
    return { typed: value.length, suggestions: valuesComparedWith(compared, pipeline, values) };
  }
  const operator = operatorAfter(written);
  if (operator !== undefined) return operator;
  const word = /[\w.-]*$/.exec(written)?.[0] ?? '';
  const path = inPath(word, values);
  if (path !== undefined && !word.startsWith('context.')) return path;
  return { typed: word.length, suggestions: keysFor(word, pipeline, values) };
}

function valuesComparedWith(
  compared: string,
  pipeline: PipelineText,
  values: KnownValues,
): readonly Suggestion[] {
  if (compared === 'preferred_label') return labelsIn(pipeline);
  if (!compared.endsWith('outcome')) return valuesOfPath(compared, values);
  const known = new Set(outcomes.map(({ label }) => label));
  const own = [
    ...new Set(
      [...pipeline.text.matchAll(/\boutcome\s*!?==?\s*([A-Za-z]\w*)/g)].map(([, word = '']) => word),
    ),
  ];
  const custom = own.filter((word) => !known.has(word) && isWritten(word, pipeline));
  return [
    ...outcomes,
    ...custom.map(
      (label): Suggestion => ({ label, kind: 'value', info: 'Used elsewhere in this pipeline.' }),
    ),
  ];
}

/** False for a word that only stands where it is being typed. */
function isWritten(word: string, { graph }: PipelineText): boolean {
  return graph.edges.some(({ attributes }) =>
    new RegExp(`\\boutcome\\s*!?==?\\s*${word}\\b`).test(String(attributes.get('condition')?.value ?? '')),
  );
}

function labelsIn({ graph }: PipelineText): readonly Suggestion[] {
  const labels = graph.edges.flatMap(({ attributes }) => String(attributes.get('label')?.value ?? '') || []);
  return [...new Set(labels)].map((label) => ({ label, kind: 'value' }));
}

/** After a whole operand and a blank: operators that compare, or after a comparison `&&` and `||`. */
function operatorAfter(written: string): WordCompletion | undefined {
  const clause = written.slice(clauseStart(written)).trimStart();
  if (
    /^(?:exists\s+|!\s*)?[\w.-]+\s*(?:[<>]=?|!=|==?|in\b|not in\b|contains\b|matches\b)\s*(?:"[^"]*"|\[[^\]]*\]|[\w.-]+)\s+$/.test(
      clause,
    )
  )
    return { typed: 0, suggestions: connectives };
  if (/^exists\s+[\w.-]+\s+$/.test(clause)) return { typed: 0, suggestions: connectives };
  const [, left, typed] = /^([\w.-]+)\s+([a-z!<>=]*(?: i?n?)?)$/.exec(clause) ?? [];
  if (left === undefined || typed === undefined || left === 'exists') return undefined;
  const suggestions = comparisonOperators.filter(({ label }) => label.startsWith(typed));
  return suggestions.length === 0 ? undefined : { typed: typed.length, suggestions };
}

function clauseStart(written: string): number {
  let start = 0;
  for (const { 0: sign, index } of written.matchAll(/&&|\|\||\(/g)) start = index + sign.length;
  return start;
}

function keysFor(word: string, { text }: PipelineText, values: KnownValues): readonly Suggestion[] {
  const known = new Set(conditionKeys.map(({ label }) => label));
  const used = [...new Set(text.match(/\bcontext\.[A-Za-z_][\w.-]*\w/g) ?? [])]
    .filter((label) => !known.has(label) && label !== word)
    .map((label): Suggestion => ({ label, kind: 'key', info: 'Used elsewhere in this pipeline.' }));
  const declared = [...values.keys]
    .map(([key]) => `context.${key}`)
    .filter((label) => !known.has(label) && !used.some((one) => one.label === label) && label !== word)
    .map((label): Suggestion => ({ label, kind: 'key', info: 'Set by a stage of this pipeline.' }));
  return [...conditionKeys, ...roots.slice(1, 4), ...declared, ...used];
}
