import type { NamedFile, PipelineFiles } from '../lint/named-files.js';

/** Files that a pipeline names, which remembers what was read. */
export class RecordedFiles implements PipelineFiles {
  readonly self: string | undefined;
  readonly #files: PipelineFiles;
  readonly #reads: RecordedRead[];

  constructor(files: PipelineFiles, reads: RecordedRead[] = []) {
    this.#files = files;
    this.#reads = reads;
    this.self = files.self;
  }

  read(path: string): NamedFile {
    const file = this.#files.read(path);
    this.#reads.push({ files: this.#files, path, found: foundIn(file) });
    return file.kind === 'text' ? { ...file, files: new RecordedFiles(file.files, this.#reads) } : file;
  }

  /** True if every file that was read would be read in the same way now. */
  areUnchanged(): boolean {
    return this.#reads.every(({ files, path, found }) => foundIn(files.read(path)) === found);
  }
}

interface RecordedRead {
  readonly files: PipelineFiles;
  readonly path: string;
  readonly found: string;
}

function foundIn(file: NamedFile): string {
  return file.kind === 'text' ? file.text : JSON.stringify(file);
}
