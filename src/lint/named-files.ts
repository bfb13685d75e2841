import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { SourceText } from '../diagnostic/source.js';
import type { Graph } from '../graph/graph.js';

/** File that a pipeline names by a path in its text, as far as it can be read. */
export type NamedFile =
  | {
      readonly kind: 'text';
      /** Path that is the same for every name of the file. */
      readonly id: string;
      /** Path for messages. */
      readonly name: string;
      readonly text: string;
      /** Files that this file names, if it is a pipeline. */
      readonly files: PipelineFiles;
    }
  | UnreadFile;

/** File that has no text. */
export type UnreadFile =
  | {
      readonly kind: 'missing';
      /** Name of a file that may be meant. */
      readonly near?: string;
    }
  | {
      readonly kind: 'unusable';
      /** Reason, such as `it is a directory`. */
      readonly problem: string;
    };

/** Files that the text of a pipeline may name (SEMANTICS 112, 113). Reading one never throws. */
export interface PipelineFiles {
  /** Id of the pipeline's own file, which a child may name again. */
  readonly self?: string;
  /** @param path as written in the text, relative to the directory of the pipeline */
  read(path: string): NamedFile;
}

/** Pipeline that a stage runs, compiled once with its parent (SEMANTICS 113). */
export type ChildPipeline = UnreadFile | CompiledChild;

export interface CompiledChild {
  readonly kind: 'compiled';
  readonly source: SourceText;
  readonly graph: Graph;
  /** Undefined while the pipeline itself is compiled: it runs itself, directly or by others. */
  readonly diagnostics: readonly Diagnostic[] | undefined;
}
