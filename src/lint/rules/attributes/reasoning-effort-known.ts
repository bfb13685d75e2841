import { excerpt } from '../../../diagnostic/excerpt.js';
import type { AttributeDefinition } from '../../../graph/attribute-tables/attribute-definition.js';
import { graphAttributes } from '../../../graph/attribute-tables/graph-attributes.js';
import type { Attribute } from '../../../graph/graph.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { valueSpanOf } from '../../findings-inside.js';
import { nameSuggester } from '../../name-suggester.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/** §2.6, §8.4: the reasoning effort is a word that the provider knows, and a misspelt one has no effect. */
export const reasoningEffortKnown: LintRule = {
  name: 'reasoning_effort_known',
  severity: 'warning',
  fixable: true,
  summary: 'No `reasoning_effort` looks like a misspelt known value.',
  rationale:
    'The reasoning effort is `low`, `medium` or `high`; values specific to a provider, such as `minimal`, are not reported. A misspelt value is sent to the provider unchanged, which rejects it or uses its own default. Correct it on the node or the graph, or in the stylesheet.',
  *apply(graph, context) {
    const suggest = nameSuggester(efforts, tolerance);
    const ofGraph = graph.attributes.get('reasoning_effort');
    const finding = ofGraph && misspelt(ofGraph, suggest, context);
    if (finding !== undefined) yield finding;
    const nodes = attributeOwners(graph).nodesWith('reasoning_effort');
    for (const { owner, attribute } of distinctAttributes(nodes, 'reasoning_effort')) {
      const finding = misspelt(attribute, suggest, context);
      if (finding !== undefined) yield { ...finding, nodeId: owner.id };
    }
  },
};

const { values: efforts = [] }: AttributeDefinition = graphAttributes.reasoning_effort;

/** One wrong letter: other words may be those of a provider. */
const tolerance = 0.25;
/** Words of providers that resemble a known one. */
const ofProviders: ReadonlySet<string> = new Set(['xhigh']);

function misspelt(
  attribute: Attribute,
  suggest: (word: string) => string | undefined,
  { source }: LintContext,
): Finding | undefined {
  const effort = String(attribute.value);
  if (effort === '' || efforts.includes(effort) || ofProviders.has(effort.toLowerCase())) return undefined;
  const suggestion = suggest(effort);
  if (suggestion === undefined) return undefined;
  const span = valueSpanOf(attribute, source);
  const isQuoted = source.text[span.start] === '"';
  return {
    message: `the reasoning effort ${excerpt(effort)} is unknown (did you mean ${excerpt(suggestion)}?)`,
    span,
    fix: {
      title: `write \`${suggestion}\``,
      edits: [{ span, text: isQuoted ? `"${suggestion}"` : suggestion }],
      unsafe: suggestion !== effort.toLowerCase(),
    },
  };
}
