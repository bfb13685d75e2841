import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { SourceText } from '../diagnostic/source.js';
import type { Graph } from '../graph/graph.js';
import type { ChildPipeline, CompiledChild, NamedFile, PipelineFiles } from '../lint/named-files.js';

/** Part of a compilation that its parent needs. */
interface Compiled {
  readonly source: SourceText;
  readonly graph: Graph;
  readonly diagnostics: readonly Diagnostic[];
}

type CompileChild = (file: Extract<NamedFile, { kind: 'text' }>, children: ChildPipelines) => Compiled;

/** File that is compiled because another one names it. */
interface NestedIn {
  readonly id: string;
  readonly known: Map<string, CompiledChild>;
  readonly level: number;
}

/** Levels of pipelines that are compiled with their parent; a run rarely may nest deeper than 5. */
const mostLevels = 32;

/** Pipelines that the stages of one pipeline run. Each file is compiled once, also if it runs itself (SEMANTICS 113). */
export class ChildPipelines {
  readonly #files: PipelineFiles;
  readonly #compile: CompileChild;
  readonly #self: string | undefined;
  readonly #known: Map<string, CompiledChild>;
  readonly #level: number;

  constructor(files: PipelineFiles, compile: CompileChild, above?: NestedIn) {
    this.#files = files;
    this.#compile = compile;
    this.#self = above?.id ?? files.self;
    this.#known = above?.known ?? new Map();
    this.#level = above?.level ?? 0;
  }

  /** Makes the pipeline itself known, so that one that runs itself finds it. */
  begin(own: Pick<Compiled, 'source' | 'graph'>): void {
    if (this.#self !== undefined)
      this.#known.set(this.#self, { kind: 'compiled', ...own, diagnostics: undefined });
  }

  /** Undefined for one that is nested too deep to be looked at. */
  read(path: string): ChildPipeline | undefined {
    const file = this.#files.read(path);
    if (file.kind !== 'text') return file;
    const { id } = file;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (this.#level === mostLevels) return undefined;
    const above = { id, known: this.#known, level: this.#level + 1 };
    const { source, graph, diagnostics } = this.#compile(
      file,
      new ChildPipelines(file.files, this.#compile, above),
    );
    const compiled: CompiledChild = { kind: 'compiled', source, graph, diagnostics };
    this.#known.set(id, compiled);
    return compiled;
  }
}
