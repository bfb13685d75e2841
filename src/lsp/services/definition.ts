import type { Span } from '../../diagnostic/source.js';
import { type PlacedMention, placesOf } from './references.js';
import { attributesIn } from './text/attributes-in.js';
import { mentionAt } from './text/mention-at.js';
import type { Neighbours, PipelineText } from './text/pipeline-text.js';

/** Place in a file. */
export interface Place {
  readonly uri: string;
  readonly span: Span;
}

/**
 * Definition of the thing at an offset: the statement of a node, the stages that write a key, the list of an input, the nodes
 * of a class, the beginning of a file.
 */
export function definitionAt(
  pipeline: PipelineText,
  offset: number,
  neighbours: Neighbours,
): readonly Place[] {
  const mention = mentionAt(pipeline, offset);
  if (mention === undefined) return [];
  const { thing } = mention;
  if (thing.kind === 'file') return [{ uri: thing.name, span: { start: 0, end: 0 } }];
  if (thing.kind === 'graph_attribute') return graphAttribute(thing.name, pipeline);
  const places = placesOf(thing, pipeline, neighbours);
  const own = places.filter(({ uri }) => uri === thing.owner);
  const defining = own.filter(({ mention: { role } }) => role === 'declaration');
  const writing = own.filter(({ mention: { role } }) => role === 'write');
  // A node that only edges mention is defined by the first of them (SEMANTICS 7).
  const first = thing.kind === 'node' ? own.slice(0, 1) : [];
  const found = [defining, writing, first].find(({ length }) => length > 0) ?? [];
  return found.map(({ uri, mention: { span } }: PlacedMention) => ({ uri, span }));
}

function graphAttribute(name: string, { uri, parsed }: PipelineText): readonly Place[] {
  return attributesIn(parsed.document)
    .filter(({ owner, attribute }) => owner === 'graph' && attribute.key.name === name)
    .map(({ attribute }) => ({ uri, span: attribute.key.span }));
}
