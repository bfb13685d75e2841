import type { AttributeDefinition } from '../../../graph/attribute-tables/attribute-definition.js';
import { type AttributeOwner, attributeDefinition } from '../../../graph/attributes.js';
import { gateChoices } from '../../../graph/choices.js';
import { handlerTypes } from '../../../graph/handler-types.js';
import type { PipelineText } from '../text/pipeline-text.js';
import { languageOf } from '../text/value-language.js';
import { classesOf, modelsOf } from './classes-and-models.js';
import type { CompletionFacts } from './completion-facts.js';
import { inCondition, roots } from './condition-completion.js';
import type { EditContext } from './edit-context.js';
import {
  inKeyList,
  inPath,
  type KnownValues,
  knownValues,
  openPath,
  type WordCompletion,
} from './known-values.js';
import { nodesOf } from './nodes-of.js';
import { inProperty } from './property-completion.js';
import { inStylesheet } from './stylesheet-completion.js';
import { type Completion, completionOf, type Suggestion } from './suggestion.js';

export type AttributeValueContext = Extract<EditContext, { readonly kind: 'attribute_value' }>;

/** Completion of a value, by the language inside it. */
export function completeValue(
  pipeline: PipelineText,
  place: AttributeValueContext,
  facts: CompletionFacts,
): Completion | undefined {
  const { owner, name, from, isQuoted, text: written } = place;
  const language = languageOf(owner, name);
  if (language === 'condition' && !isQuoted) return undefined;
  const word = isQuoted ? wordInValue(pipeline, place, facts) : undefined;
  if (word !== undefined) return completionOf(from + written.length - word.typed, word.suggestions);
  const values = valuesOf(pipeline, place, facts);
  return completionOf(
    from,
    values.map((value) =>
      isQuoted || isPlain.test(value.label)
        ? value
        : { ...value, insert: `"${value.insert ?? value.label}"` },
    ),
  );
}

const isPlain = /^[A-Za-z_]\w*$/;

/** Word that is being typed inside a string; undefined where the string is one value. */
function wordInValue(
  pipeline: PipelineText,
  { owner, name, text: written }: AttributeValueContext,
  facts: CompletionFacts,
): WordCompletion | undefined {
  const values = () => valuesIn(pipeline);
  switch (languageOf(owner, name)) {
    case 'condition':
      return inCondition(written, pipeline, values());
    case 'key_list':
      return inKeyList(name, written, values());
    case 'stylesheet':
      return inStylesheet(written, pipeline, modelsOf(pipeline, facts));
    case 'property':
      return inProperty(written, pipeline);
    case 'classes': {
      const typed = /[^,\s]*$/.exec(written)?.[0] ?? '';
      return { typed: typed.length, suggestions: classesOf(pipeline).filter(({ label }) => label !== typed) };
    }
    case 'file':
      return { typed: written.length, suggestions: filesOf(written, facts) };
    case 'template':
    case 'shell': {
      const path = openPath(written);
      if (path === undefined) return undefined;
      return inPath(path, values()) ?? { typed: path.length, suggestions: roots };
    }
    default:
      return undefined;
  }
}

function valuesIn(pipeline: PipelineText): KnownValues {
  return knownValues(
    pipeline.graph,
    nodesOf(pipeline).map(({ label }) => label),
  );
}

function filesOf(path: string, { files }: CompletionFacts): readonly Suggestion[] {
  return (files?.(path) ?? []).map((label) => ({ label, kind: 'file' }));
}

/** Values of an attribute that has few. */
function valuesOf(
  pipeline: PipelineText,
  { owner, name, nodeId }: AttributeValueContext,
  facts: CompletionFacts,
): readonly Suggestion[] {
  const definition = attributeDefinition(owner, name);
  switch (languageOf(owner, name)) {
    case 'model':
      return modelsOf(pipeline, facts);
    case 'classes':
      return classesOf(pipeline);
    case 'node':
      return nodesOf(pipeline);
    case 'choice':
      return [...choicesOf(pipeline, nodeId), ...nodesOf(pipeline)];
    default:
      return wordsOf(owner, name, definition);
  }
}

function choicesOf({ graph }: PipelineText, nodeId: string | undefined): readonly Suggestion[] {
  const choices = nodeId === undefined ? [] : gateChoices(graph, nodeId);
  return choices
    .filter(({ labelled }) => labelled)
    .map(({ label, to }) => ({ label, kind: 'value', detail: `leads to ${to}` }));
}

function wordsOf(
  owner: AttributeOwner,
  name: string,
  definition: AttributeDefinition | undefined,
): readonly Suggestion[] {
  if (owner === 'node' && name === 'shape') return shapes;
  if (owner === 'node' && name === 'type') return types;
  if (definition?.type === 'boolean') return ['true', 'false'].map((label) => ({ label, kind: 'value' }));
  return (definition?.values ?? []).map((label) => ({ label, kind: 'value' }));
}

const shapes: readonly Suggestion[] = handlerTypes.flatMap((handler): Suggestion[] =>
  'shape' in handler
    ? [{ label: handler.shape, kind: 'handler', detail: handler.title, info: handler.summary }]
    : [],
);

const types: readonly Suggestion[] = handlerTypes.map(({ type, title, summary }) => ({
  label: type,
  kind: 'handler',
  detail: title,
  info: summary,
}));
