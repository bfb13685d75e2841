import type { Span } from '../../../diagnostic/source.js';
import { type AttributeOwner, attributeDefinition } from '../../../graph/attributes.js';
import { handlerTypeNamed, handlerTypeOfShape } from '../../../graph/handler-types.js';
import { ruleCatalog } from '../../../lint/rule-catalog.js';
import { suppressionsIn } from '../../../lint/suppressions.js';
import { describeAttribute, describeType } from '../completion/attribute-names.js';
import type { CompletionFacts } from '../completion/completion-facts.js';
import { type AttributeInText, attributesIn } from '../text/attributes-in.js';
import { mentionAt } from '../text/mention-at.js';
import type { Neighbours, PipelineText } from '../text/pipeline-text.js';
import { onlyText } from '../text/pipeline-text.js';
import { explainThing } from './explain-thing.js';
import type { Explanation, Hover } from './hover.js';
import { modelAt } from './model-at.js';

/**
 * Explanation of what stands at an offset: a node with its style and the routes from it, a key with its writers and readers, an
 * attribute, a handler, a model, or a rule in a comment.
 */
export function hoverAt(
  pipeline: PipelineText,
  offset: number,
  facts: CompletionFacts = {},
  neighbours: Neighbours = onlyText(pipeline),
): Hover | undefined {
  const rule = ruleAt(pipeline, offset);
  if (rule !== undefined) return rule;
  const mention = mentionAt(pipeline, offset);
  const explained = mention && explainThing(mention.thing, pipeline, neighbours);
  if (mention !== undefined && explained !== undefined) return { span: mention.span, ...explained };
  const model = modelAt(pipeline, offset, facts);
  if (model !== undefined) return model;
  const one = attributesIn(pipeline.parsed.document).find(({ attribute }) =>
    contains(attribute.span, offset),
  );
  return one === undefined ? undefined : hoverOfAttribute(one, offset);
}

function contains({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset <= end;
}

/** Rule that a comment switches off. */
function ruleAt({ source, parsed }: PipelineText, offset: number): Hover | undefined {
  const rules = suppressionsIn(source, parsed.document.comments).flatMap((one) => one.rules);
  const named = rules.find(({ span }) => contains(span, offset));
  const rule = named && ruleCatalog().find(({ id }) => id === named.name);
  if (named === undefined || rule === undefined) return undefined;
  return {
    span: named.span,
    title: `${rule.id} (rule, ${rule.severity})`,
    text: rule.summary,
    details: rule.rationale === undefined ? [] : [rule.rationale],
  };
}

function hoverOfAttribute({ attribute, owner }: AttributeInText, offset: number): Hover | undefined {
  const { key, value } = attribute;
  if (owner === 'subgraph') return undefined;
  if (contains(key.span, offset)) {
    const explained = explainAttribute(owner, key.name);
    return explained && { span: key.span, ...explained };
  }
  const handler = owner === 'node' ? handlerNamed(key.name, value.text) : undefined;
  return handler && { span: value.span, title: handler.title, text: handler.summary };
}

function handlerNamed(attribute: string, word: string) {
  if (attribute === 'shape') return handlerTypeOfShape(word);
  return attribute === 'type' ? handlerTypeNamed(word) : undefined;
}

function explainAttribute(owner: AttributeOwner, name: string): Explanation | undefined {
  const definition = attributeDefinition(owner, name);
  if (definition === undefined) return undefined;
  return {
    title: `${name} (${owner}, ${describeType(definition)})`,
    text: describeAttribute(definition),
  };
}
