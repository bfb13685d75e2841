import type { PipelineText } from '../text/pipeline-text.js';
import { classesOf } from './classes-and-models.js';
import type { WordCompletion } from './known-values.js';
import { nodesOf } from './nodes-of.js';
import type { Suggestion } from './suggestion.js';

/** Words of the language of properties (docs/properties.md). */
const words: readonly Suggestion[] = [
  { label: 'never', kind: 'keyword', info: 'In no run: never publish; or never more than 3 fix.' },
  { label: 'more than', kind: 'keyword', info: 'A limit after never: never more than 3 LLM stages.' },
  { label: 'at most', kind: 'keyword', info: 'A limit: at most 3 fix.' },
  { label: 'no', kind: 'keyword', info: 'None of these after others: after reject no publish.' },
  { label: 'after', kind: 'keyword', info: 'Once something has happened.' },
  { label: 'before', kind: 'keyword', info: 'As long as something has not happened.' },
  {
    label: 'only after',
    kind: 'keyword',
    info: 'Not before something has happened: publish only after review.',
  },
  { label: 'since the last', kind: 'keyword', info: 'It must happen again after these events.' },
  {
    label: 'every run that',
    kind: 'keyword',
    info: 'Runs that reach a stage, or complete: every run that completes has passed test.',
  },
  { label: 'LLM stages', kind: 'keyword', info: 'All stages that ask a model.' },
  { label: 'class', kind: 'keyword', info: 'All stages with a class.' },
  { label: 'of class', kind: 'keyword', info: 'Only those stages with a class.' },
  { label: 'the end', kind: 'keyword', info: 'The end of the run.' },
  { label: 'passed', kind: 'keyword', info: 'The stage has succeeded.' },
  { label: 'failed', kind: 'keyword', info: 'The stage has failed.' },
  { label: 'completes', kind: 'keyword', info: 'The run completes.' },
];

/** Completion in a property: its words, the stages, and the classes after `of class`. */
export function inProperty(written: string, pipeline: PipelineText): WordCompletion {
  const typed = /[^\s,="]*$/.exec(written)?.[0] ?? '';
  const before = written.slice(0, written.length - typed.length);
  const suggestions = /\bclass\s+$/.test(before) ? classesOf(pipeline) : [...nodesOf(pipeline), ...words];
  return { typed: typed.length, suggestions };
}
