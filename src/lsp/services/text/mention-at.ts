import { mentionsIn } from './mentions.js';
import type { Mention } from './named-thing.js';
import type { PipelineText } from './pipeline-text.js';

/** Mention at an offset, its end included; of several the shortest. */
export function mentionAt(pipeline: PipelineText, offset: number): Mention | undefined {
  let found: Mention | undefined;
  for (const mention of mentionsIn(pipeline)) {
    const { start, end } = mention.span;
    if (start > offset) break;
    if (end < offset) continue;
    if (found === undefined || end - start < found.span.end - found.span.start) found = mention;
  }
  return found;
}
