import { SourceText } from '../../../diagnostic/source.js';
import type { Graph } from '../../../graph/graph.js';
import { type KnownHandlerTypes, knownHandlerTypes } from '../../../graph/known-handler-types.js';
import { lower } from '../../../graph/lower.js';
import type { DotParseResult } from '../../../parser/dot/ast.js';
import { parseDot } from '../../../parser/dot/parse.js';
import { applyTransforms, builtInTransforms } from '../../../transforms/index.js';

export interface PipelineTextOptions {
  /** Returns the URI of a file that the text names, by the path as written. */
  readonly resolve?: (path: string) => string;
  readonly handlerTypes?: KnownHandlerTypes;
}

/** Text of a pipeline that is being written, which may be broken; each phase is computed once, when it is asked for. */
export class PipelineText {
  readonly uri: string;
  readonly source: SourceText;
  readonly handlerTypes: KnownHandlerTypes;
  readonly resolve: (path: string) => string;
  #parsed: DotParseResult | undefined;
  #graph: Graph | undefined;

  constructor(
    uri: string,
    text: string,
    { resolve = (path) => path, handlerTypes = knownHandlerTypes() }: PipelineTextOptions = {},
  ) {
    this.uri = uri;
    this.source = new SourceText(uri, text);
    this.resolve = resolve;
    this.handlerTypes = handlerTypes;
  }

  get text(): string {
    return this.source.text;
  }

  get parsed(): DotParseResult {
    this.#parsed ??= parseDot(this.text);
    return this.#parsed;
  }

  /** Graph after the built-in transforms; without the prompts of files. */
  get graph(): Graph {
    this.#graph ??= applyTransforms(lower(this.parsed.document).graph, builtInTransforms);
    return this.#graph;
  }
}

/** Pipelines and other files around a text. Reading one never throws. */
export interface Neighbours {
  /** Pipeline with this URI; undefined if there is none. */
  pipeline(uri: string): PipelineText | undefined;
  /** Text of a file that is not a pipeline, such as a prompt; undefined if there is none. */
  text(uri: string): string | undefined;
  /** Known pipelines whose texts contain a word. */
  containing(word: string): Iterable<PipelineText>;
}

/** Neighbours of a text that is alone, as in the playground. */
export function onlyText(pipeline: PipelineText): Neighbours {
  return {
    pipeline: (uri) => (uri === pipeline.uri ? pipeline : undefined),
    text: () => undefined,
    containing: (word) => (pipeline.text.includes(word) ? [pipeline] : []),
  };
}
