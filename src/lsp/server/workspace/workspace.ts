import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import type { Neighbours } from '../../services/text/pipeline-text.js';
import { PipelineText } from '../../services/text/pipeline-text.js';
import type { FileAccess } from './file-access.js';
import { findPipelines, isPipelineName, type Search, type SearchLimits } from './find-pipelines.js';

/** A text with the document that counts its lines. */
export interface KnownText {
  readonly document: TextDocument;
  readonly pipeline: PipelineText;
}

/** Maximum of parsed texts that are remembered: an editor may have thousands open, and works on a few. */
const mostParsed = 100;

/** Texts of the workspace: those that are open in the editor, and the files around them. */
export class Workspace implements Neighbours {
  readonly #files: FileAccess;
  readonly #open: (uri: string) => TextDocument | undefined;
  readonly #handlerTypes: (uri: string) => KnownHandlerTypes | undefined;
  readonly #parsed = new Map<string, KnownText>();
  readonly #read = new Map<string, { readonly mark: string; readonly document: TextDocument }>();
  readonly #known = new Set<string>();

  /** @param open document of the editor, by its URI */
  constructor(
    files: FileAccess,
    open: (uri: string) => TextDocument | undefined,
    handlerTypes: (uri: string) => KnownHandlerTypes | undefined,
  ) {
    this.#files = files;
    this.#open = open;
    this.#handlerTypes = handlerTypes;
  }

  /** Looks for pipelines below folders; those found before stay known. */
  async search(folders: readonly string[], isStopped: () => boolean, limits?: SearchLimits): Promise<Search> {
    const paths = folders.flatMap((uri) => pathOf(uri) ?? []);
    const search = await findPipelines(paths, this.#files, isStopped, limits);
    for (const file of search.files) this.#known.add(uriOf(file));
    return search;
  }

  /** Says that a pipeline exists, or does not any more. */
  note(uri: string, exists: boolean): void {
    if (!isPipelineName(uri)) return;
    if (exists) this.#known.add(uri);
    else this.#known.delete(uri);
  }

  /** Text with its document; undefined for a file that cannot be read. */
  known(uri: string): KnownText | undefined {
    const document = this.document(uri);
    if (document === undefined) return undefined;
    const before = this.#parsed.get(uri);
    const handlerTypes = this.#handlerTypes(uri);
    const isSame =
      before?.document === document &&
      before.pipeline.text === document.getText() &&
      hasTypes(before, handlerTypes);
    const known = isSame ? before : { document, pipeline: this.#parse(document, handlerTypes) };
    // Moves it to the end: the first is the one that was not asked for the longest.
    this.#parsed.delete(uri);
    this.#parsed.set(uri, known);
    const [oldest] = this.#parsed.keys();
    if (this.#parsed.size > mostParsed && oldest !== undefined) this.#parsed.delete(oldest);
    return known;
  }

  /** Document of a text, open or on disk. */
  document(uri: string): TextDocument | undefined {
    const open = this.#open(uri);
    if (open !== undefined) return open;
    const file = pathOf(uri);
    const mark = file === undefined ? undefined : this.#files.mark(file);
    if (file === undefined || mark === undefined) return undefined;
    const before = this.#read.get(uri);
    if (before?.mark === mark) return before.document;
    const text = this.#files.read(file);
    if (text === undefined) return undefined;
    const document = TextDocument.create(uri, 'dot', 0, text);
    this.#read.set(uri, { mark, document });
    return document;
  }

  pipeline(uri: string): PipelineText | undefined {
    return isPipelineName(uri) || this.#open(uri) !== undefined ? this.known(uri)?.pipeline : undefined;
  }

  text(uri: string): string | undefined {
    return this.document(uri)?.getText();
  }

  *containing(word: string): Iterable<PipelineText> {
    for (const uri of this.#known) {
      if (this.text(uri)?.includes(word) !== true) continue;
      const pipeline = this.pipeline(uri);
      if (pipeline !== undefined) yield pipeline;
    }
  }

  /** URIs of all known pipelines. */
  uris(): readonly string[] {
    return [...this.#known];
  }

  /** Files that begin with a path as written in a pipeline; a folder ends in `/`. */
  filesFrom(uri: string, written: string): readonly string[] {
    const own = pathOf(uri);
    if (own === undefined) return [];
    const folder = written.slice(0, written.lastIndexOf('/') + 1);
    const entries = this.#files.entriesNow(path.resolve(path.dirname(own), folder));
    return entries
      .map(({ name, isDirectory }) => `${folder}${name}${isDirectory ? '/' : ''}`)
      .filter((name) => name.startsWith(written))
      .slice(0, mostSuggestedFiles);
  }

  #parse(document: TextDocument, handlerTypes: KnownHandlerTypes | undefined): PipelineText {
    const { uri } = document;
    const resolve = (name: string): string => resolveFrom(uri, name);
    return new PipelineText(uri, document.getText(), { resolve, handlerTypes });
  }
}

const mostSuggestedFiles = 200;

function hasTypes({ pipeline }: KnownText, types: KnownHandlerTypes | undefined): boolean {
  return types === undefined || pipeline.handlerTypes === types;
}

/** Path of a file; undefined for a document that has none, such as one that was never saved. */
export function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

export function uriOf(file: string): string {
  return pathToFileURL(file).href;
}

function resolveFrom(uri: string, name: string): string {
  const own = pathOf(uri);
  return own === undefined ? name : uriOf(path.resolve(path.dirname(own), name));
}
