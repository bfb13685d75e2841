import { mentionAt } from './text/mention-at.js';
import { mentionsIn } from './text/mentions.js';
import { isSameThing, type Mention, type NamedThing } from './text/named-thing.js';
import type { Neighbours, PipelineText } from './text/pipeline-text.js';
import { promptMentions } from './text/prompt-mentions.js';

/** Mention with the file that it stands in. */
export interface PlacedMention {
  readonly uri: string;
  readonly mention: Mention;
}

/** All places that name what stands at an offset: in this text, in its prompts, and for an input in the pipelines that pass it. */
export function referencesAt(
  pipeline: PipelineText,
  offset: number,
  neighbours: Neighbours,
): readonly PlacedMention[] {
  const mention = mentionAt(pipeline, offset);
  return mention === undefined ? [] : placesOf(mention.thing, pipeline, neighbours);
}

/** All places that name a thing, of the pipeline that it belongs to first. */
export function placesOf(
  thing: NamedThing,
  pipeline: PipelineText,
  neighbours: Neighbours,
): readonly PlacedMention[] {
  return textsFor(thing, pipeline, neighbours).flatMap((text) => [
    ...placed(text.uri, mentionsIn(text), thing),
    ...[...promptMentions(text, neighbours)].flatMap(([uri, mentions]) => placed(uri, mentions, thing)),
  ]);
}

/** Only inputs and files have names outside of their own pipeline. */
function textsFor(
  { kind, owner, name }: NamedThing,
  pipeline: PipelineText,
  neighbours: Neighbours,
): readonly PipelineText[] {
  const own = owner === pipeline.uri ? pipeline : neighbours.pipeline(owner);
  const first = own === undefined ? [] : [own];
  if (kind !== 'input' && kind !== 'file') return first;
  const word = kind === 'file' ? name.slice(name.lastIndexOf('/') + 1) : name;
  return [...first, ...[...neighbours.containing(word)].filter(({ uri }) => uri !== owner)];
}

function placed(uri: string, mentions: readonly Mention[], thing: NamedThing): readonly PlacedMention[] {
  return mentions.filter((mention) => names(mention, thing)).map((mention) => ({ uri, mention }));
}

/** A file is the same for every pipeline that names it. */
function names({ thing }: Mention, wanted: NamedThing): boolean {
  return wanted.kind === 'file'
    ? thing.kind === 'file' && thing.name === wanted.name
    : isSameThing(thing, wanted);
}
