import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Span } from '../../../diagnostic/source.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Attribute, Node } from '../../../graph/graph.js';
import {
  builtInProviders,
  type FallbackEntry,
  fallbackEntries,
  nameOfModel,
} from '../../../graph/model-choice.js';
import { mapSpan } from '../../../parser/dot/value-places.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { spanInside } from '../../findings-inside.js';
import { nameSuggester } from '../../name-suggester.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** SEMANTICS 130: models that answer if the model of a stage stays unavailable. */
export const fallbackValid: LintRule = {
  name: 'fallback_valid',
  severity: 'error',
  summary: 'Every entry of `llm_fallback` names another model.',
  rationale:
    'A fallback is used when a model stays unavailable, so a mistake in the list would be noticed only then. Separate entries with commas, each written as `provider/model`: `llm_fallback="openai/gpt-5.2, ollama/llama3.3"`. An invalid entry is an error. An entry that repeats a model is a warning, because it would fail like the first. A provider that is not built in must be listed under `providers` in the configuration, which lint does not read.',
  *apply(graph, context) {
    const suggest = nameSuggester(builtInProviders, tolerance);
    const ofGraph = graph.attributes.get(name);
    if (ofGraph !== undefined) yield* findingsIn(ofGraph, undefined, suggest, context);
    for (const { owner, attribute } of distinctAttributes(attributeOwners(graph).nodesWith(name), name)) {
      // Others share a list that a default or a stylesheet gives, where it may name the model of some.
      const stageModel = attribute.origin === 'explicit' ? ownModel(owner) : undefined;
      for (const finding of findingsIn(attribute, stageModel, suggest, context)) {
        yield { ...finding, nodeId: owner.id };
      }
    }
  },
};

const name = 'llm_fallback';
const tolerance = 0.4;

type Suggest = (word: string) => string | undefined;

function* findingsIn(
  attribute: Attribute,
  stageModel: string | undefined,
  suggest: Suggest,
  { source }: LintContext,
): Iterable<Finding> {
  const seen = new Set(stageModel === undefined ? [] : [stageModel]);
  for (const entry of fallbackEntries(String(attribute.value))) {
    const model = entry.named && nameOfModel(entry.named);
    const problem = problemOf(entry, model, stageModel, seen, suggest);
    if (model !== undefined) seen.add(model);
    if (problem !== undefined) yield { ...problem, span: entrySpan(attribute, entry.span, source) };
  }
}

function problemOf(
  { text, named }: FallbackEntry,
  model: string | undefined,
  stageModel: string | undefined,
  seen: ReadonlySet<string>,
  suggest: Suggest,
): Omit<Finding, 'span'> | undefined {
  if (named === undefined || model === undefined) {
    const problem = text === '' ? 'an entry is empty' : `${excerpt(text)} is not a model with its provider`;
    return { message: `${problem}; write \`provider/model\`, with commas between entries` };
  }
  if (seen.has(model)) {
    const reason = model === stageModel ? "is the stage's own model" : 'is listed twice';
    return { severity: 'warning', message: `${excerpt(model)} ${reason}, so this entry changes nothing` };
  }
  const { provider } = named;
  if (builtInProviders.some((builtIn) => builtIn === provider)) return undefined;
  const suggestion = suggest(provider);
  return {
    severity: 'info',
    message: `the provider ${excerpt(provider)} is not built in${suggestion === undefined ? '' : ` (did you mean ${excerpt(suggestion)}?)`}; add it under \`providers\` in the configuration`,
  };
}

/** The model of a node, if its attributes name the provider too. */
function ownModel(node: Node): string | undefined {
  const model = nodeAttribute(node, 'llm_model');
  const provider = nodeAttribute(node, 'llm_provider')?.toLowerCase();
  if (!model) return undefined;
  return provider && !model.startsWith(`${provider}/`) ? `${provider}/${model}` : model;
}

/** Span of an entry in the source, also in a declaration of a stylesheet. */
function entrySpan(attribute: Attribute, span: Span, source: LintContext['source']): Span {
  const { declaredAt, value, valueSpan } = attribute;
  if (declaredAt === undefined || valueSpan.end > source.text.length) {
    return spanInside(attribute, span, source);
  }
  const quotes = declaredAt.end - declaredAt.start - String(value).length;
  // A value with escapes has no position for its parts.
  if (quotes !== 0 && quotes !== 2) return spanInside(attribute, span, source);
  const from = declaredAt.start + quotes / 2;
  return mapSpan(source.text, valueSpan, { start: from + span.start, end: from + span.end });
}
