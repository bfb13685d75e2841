import type { Span } from '../../../diagnostic/source.js';
import { mapSpan } from '../../../parser/dot/value-places.js';
import { parseStylesheet } from '../../../parser/stylesheet/parse.js';
import { modelsOf } from '../completion/classes-and-models.js';
import type { CompletionFacts } from '../completion/completion-facts.js';
import { attributesIn } from '../text/attributes-in.js';
import type { PipelineText } from '../text/pipeline-text.js';
import { languageOf } from '../text/value-language.js';
import type { Hover } from './hover.js';

/** Explanation of a model at an offset: in `llm_model`, or in the stylesheet. */
export function modelAt(pipeline: PipelineText, offset: number, facts: CompletionFacts): Hover | undefined {
  const named = modelNames(pipeline).find(({ span }) => span.start <= offset && offset <= span.end);
  if (named === undefined) return undefined;
  const known = modelsOf(pipeline, facts).find(({ label }) => label === named.name);
  const users = [...pipeline.graph.nodes.values()].filter(
    ({ attributes }) => attributes.get('llm_model')?.value === named.name,
  );
  const ids = users.map(({ id }) => id).join(', ');
  return {
    span: named.span,
    title: `${named.name} (model)`,
    text: known?.info ?? 'No price is known for this model.',
    details: ids === '' ? [] : [`Used by: ${ids}`],
  };
}

function modelNames({
  source,
  parsed,
}: PipelineText): readonly { readonly name: string; readonly span: Span }[] {
  return attributesIn(parsed.document).flatMap(({ attribute: { key, value }, owner }) => {
    if (owner === 'subgraph') return [];
    const language = languageOf(owner, key.name);
    if (language === 'model') return [{ name: value.text, span: value.span }];
    if (language !== 'stylesheet') return [];
    const rules = parseStylesheet(value.text).stylesheet?.rules ?? [];
    return rules.flatMap(({ declarations }) =>
      declarations.flatMap(({ property, value: name, valueSpan }) =>
        property === 'llm_model' ? [{ name, span: mapSpan(source, value.span, valueSpan) }] : [],
      ),
    );
  });
}
