import { attributeDefinition } from '../../../graph/attributes.js';
import { handlerTypes } from '../../../graph/handler-types.js';
import { styleProperties } from '../../../graph/stylesheet.js';
import type { PipelineText } from '../text/pipeline-text.js';
import { classesOf } from './classes-and-models.js';
import type { WordCompletion } from './known-values.js';
import { nodesOf } from './nodes-of.js';
import type { Suggestion } from './suggestion.js';

/** Completion in a stylesheet (§8.2): selectors outside of braces, properties inside, and their values. */
export function inStylesheet(
  written: string,
  pipeline: PipelineText,
  models: readonly Suggestion[],
): WordCompletion | undefined {
  const isInBlock = written.lastIndexOf('{') > written.lastIndexOf('}');
  if (!isInBlock) return selectors(written, pipeline);
  const declaration = written.slice(Math.max(written.lastIndexOf('{'), written.lastIndexOf(';')) + 1);
  const [, property, value] = /^\s*([\w-]+)\s*[:=]\s*(\S*)$/.exec(declaration) ?? [];
  if (property !== undefined && value !== undefined)
    return { typed: value.length, suggestions: valuesOf(property, models) };
  const [name] = /[\w-]*$/.exec(declaration) ?? [''];
  return /^\s*[\w-]*$/.test(declaration) ? { typed: name.length, suggestions: properties } : undefined;
}

function selectors(written: string, pipeline: PipelineText): WordCompletion | undefined {
  const [sign = ''] = /[#.]?[\w-]*$/.exec(written) ?? [''];
  const all: readonly Suggestion[] = [
    { label: '*', kind: 'keyword', insert: '* { ', info: 'All nodes.' },
    ...nodesOf(pipeline).map(({ label }): Suggestion => ({ label: `#${label}`, kind: 'node' })),
    ...classesOf(pipeline).map(({ label }): Suggestion => ({ label: `.${label}`, kind: 'class' })),
    ...shapes,
  ];
  return {
    typed: sign.length,
    suggestions: all.filter(({ label }) => sign === '' || label[0] === sign[0] || !/^[#.]/.test(sign)),
  };
}

const shapes: readonly Suggestion[] = handlerTypes.flatMap((handler): Suggestion[] =>
  'shape' in handler ? [{ label: handler.shape, kind: 'handler', detail: handler.title }] : [],
);

const properties: readonly Suggestion[] = styleProperties.map((label) => ({
  label,
  kind: 'attribute',
  insert: `${label}: `,
  info: attributeDefinition('node', label)?.doc,
}));

function valuesOf(property: string, models: readonly Suggestion[]): readonly Suggestion[] {
  if (property === 'llm_model' || property === 'model') return models;
  return (attributeDefinition('node', property)?.values ?? []).map((label) => ({ label, kind: 'value' }));
}
