import type { Span } from '../../diagnostic/source.js';
import { mentionsIn } from './text/mentions.js';
import type { PipelineText } from './text/pipeline-text.js';

export interface DocumentLink {
  readonly span: Span;
  /** URI of the file. */
  readonly target: string;
}

/** Paths of children and of prompts, with the files that they name. */
export function documentLinks(pipeline: PipelineText): readonly DocumentLink[] {
  return mentionsIn(pipeline).flatMap(({ thing, span }) =>
    thing.kind === 'file' ? [{ span, target: thing.name }] : [],
  );
}
