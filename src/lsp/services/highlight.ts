import type { Span } from '../../diagnostic/source.js';
import { mentionAt } from './text/mention-at.js';
import { mentionsIn } from './text/mentions.js';
import { isSameThing, type MentionRole } from './text/named-thing.js';
import type { PipelineText } from './text/pipeline-text.js';

export interface Highlight {
  readonly span: Span;
  readonly role: MentionRole;
}

/** All places of this text that name what stands at an offset. */
export function highlightsAt(pipeline: PipelineText, offset: number): readonly Highlight[] {
  const mention = mentionAt(pipeline, offset);
  if (mention === undefined) return [];
  return mentionsIn(pipeline)
    .filter(({ thing }) => isSameThing(thing, mention.thing))
    .map(({ span, role }) => ({ span, role }));
}
