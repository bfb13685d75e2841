import { attributesIn } from './attributes-in.js';
import { mentionsInTemplate } from './mentions-in-value.js';
import type { Mention } from './named-thing.js';
import type { Neighbours, PipelineText } from './pipeline-text.js';

/** Mentions in the files of prompts that a pipeline names, by the URI of the file (SEMANTICS 112). */
export function promptMentions(
  pipeline: PipelineText,
  neighbours: Neighbours,
): ReadonlyMap<string, readonly Mention[]> {
  const found = new Map<string, readonly Mention[]>();
  for (const { attribute, owner } of attributesIn(pipeline.parsed.document)) {
    if (owner !== 'node' || attribute.key.name !== 'prompt_file') continue;
    const uri = pipeline.resolve(attribute.value.text.trim());
    if (found.has(uri)) continue;
    const text = neighbours.text(uri);
    if (text !== undefined) found.set(uri, mentionsInTemplate(text, pipeline));
  }
  return found;
}
