import { attributeNames } from '../../../graph/attributes.js';
import { type Neighbours, onlyText, type PipelineText } from '../text/pipeline-text.js';
import { namesOf, suggestedName } from './attribute-names.js';
import type { CompletionFacts } from './completion-facts.js';
import { contextAt } from './edit-context.js';
import { nodesOf } from './nodes-of.js';
import { type Completion, completionOf, type Suggestion } from './suggestion.js';
import { completeValue } from './value-completion.js';

/**
 * Completions at an offset of a pipeline, which may be broken there: attributes of the owner and its handler with their meaning,
 * values, nodes, keys, and what may stand in the languages inside strings.
 */
export function completeAt(
  pipeline: PipelineText,
  offset: number,
  facts: CompletionFacts = {},
  neighbours: Neighbours = onlyText(pipeline),
): Completion | undefined {
  const place = contextAt(pipeline.text, offset);
  switch (place.kind) {
    case 'elsewhere':
      return undefined;
    case 'statement':
      return completionOf(place.from, [...keywords, ...nodesOf(pipeline), ...graphNames()]);
    case 'edge_end':
      return completionOf(place.from, nodesOf(pipeline));
    case 'attribute_name':
      return completionOf(place.from, namesOf(pipeline, place, neighbours));
    case 'attribute_value':
      return completeValue(pipeline, place, facts);
  }
}

const keywords: readonly Suggestion[] = [
  {
    label: 'node',
    kind: 'keyword',
    insert: 'node [',
    info: 'Attributes of the nodes below, unless they say otherwise.',
  },
  {
    label: 'edge',
    kind: 'keyword',
    insert: 'edge [',
    info: 'Attributes of the edges below, unless they say otherwise.',
  },
  { label: 'graph', kind: 'keyword', insert: 'graph [', info: 'Attributes of the pipeline.' },
  { label: 'subgraph', kind: 'keyword', info: 'A group of nodes, which may share defaults and a class.' },
];

function graphNames(): readonly Suggestion[] {
  return attributeNames('graph').map((name) => suggestedName('graph', name));
}
