import {
  type CancellationToken,
  type ClientCapabilities,
  type Connection,
  MessageType,
  ShowMessageNotification,
  type TextDocumentPositionParams,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { CompileOptions } from '../../compiler/compile.js';
import { type KnownHandlerTypes, knownHandlerTypes } from '../../graph/known-handler-types.js';
import type { Layout } from '../../render/layout.js';
import type { CallResult } from '../../setup/call-result.js';
import type { LensFacts } from '../services/code-lenses.js';
import type { CompletionFacts } from '../services/completion/completion-facts.js';
import type { Suggestion } from '../services/completion/suggestion.js';
import { Judge, type Judgement } from './judge.js';
import { defaultSettings, type Settings } from './settings.js';
import type { Timers } from './timers.js';
import type { FileAccess } from './workspace/file-access.js';
import { overlaidFiles } from './workspace/overlaid-files.js';
import { type KnownText, pathOf, Workspace } from './workspace/workspace.js';

/** Files that are read before other messages pass. */
const filesAtOnce = 20;

/** Surroundings of a language server. */
export interface ServerPorts {
  readonly files: FileAccess;
  readonly timers: Timers;
  /** Options of a pipeline by its configuration and plugins, without files and shell. */
  compileOptions(file: string, settings: Settings): Promise<CompileOptions>;
  /** Reads the configuration again, the next time. */
  forgetConfiguration(): void;
  readonly checkShell: CompileOptions['checkShell'];
  readonly isInstalled: CompileOptions['isInstalled'];
  /** Models with a known price. */
  models(): Promise<readonly Suggestion[]>;
  /** Recorded runs and tests of a pipeline, by its file and the name of its graph. */
  facts(file: string, name: string): Promise<LensFacts>;
  /** Calls the command line. */
  attractor(args: readonly string[], cwd: string, signal: AbortSignal): Promise<CallResult>;
  /** Lays drawings out on another thread, within a time limit. */
  readonly layout: Layout;
  /** Path of a file with this name that nobody has written yet. */
  temporaryFile(name: string): string;
}

/** State of a language server: its documents, their findings, and the workspace around them. */
export class Session {
  readonly connection: Connection;
  readonly ports: ServerPorts;
  readonly documents = new TextDocuments(TextDocument);
  readonly workspace: Workspace;
  readonly judge: Judge;
  settings: Settings = defaultSettings;
  client: ClientCapabilities = {};
  folders: readonly string[] = [];
  /** Coverage by the latest tests of this session, in words, by the URI of the pipeline. */
  readonly coverage = new Map<string, string>();
  #types = new Map<string, KnownHandlerTypes>();
  #models: readonly Suggestion[] = [];
  readonly #reported = new Set<string>();
  /** Documents that have been judged by the text of a file, by its URI. */
  readonly #judgedBy = new Map<string, Set<string>>();

  constructor(connection: Connection, ports: ServerPorts, publish: (uri: string, one: Judgement) => void) {
    this.connection = connection;
    this.ports = ports;
    this.workspace = new Workspace(
      ports.files,
      (uri) => this.documents.get(uri),
      (uri) => this.#types.get(uri),
    );
    this.judge = new Judge({
      timers: ports.timers,
      open: (uri) => this.#openText(uri),
      options: (uri) => this.compileOptions(uri),
      publish,
      failed: (error) =>
        connection.console.error(
          `attractor: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        ),
      pauseMs: () => this.settings.pauseMs,
    });
  }

  /** Options that compile a document as `attractor lint` does, with the open texts of files that it names. */
  async compileOptions(uri: string): Promise<CompileOptions> {
    const file = pathOf(uri);
    if (file === undefined) return { name: uri };
    const { ports, settings } = this;
    const options = await this.#configured(file);
    if (options.handlerTypes !== undefined && !this.#types.has(uri))
      this.#types.set(uri, knownHandlerTypes(options.handlerTypes));
    return {
      ...options,
      name: file,
      checkShell: settings.checkShell ? ports.checkShell : undefined,
      isInstalled: settings.checkShell ? ports.isInstalled : undefined,
      files: overlaidFiles(file, (named) => {
        this.#noteNamed(named, uri);
        return this.documents.get(named)?.getText();
      }),
    };
  }

  /** Shows a message, which nobody has to answer. */
  tell(type: MessageType, message: string): void {
    void this.connection.sendNotification(ShowMessageNotification.type, {
      type,
      message: `attractor: ${message}`,
    });
  }

  /** A configuration that cannot be used is reported once, and ignored. */
  async #configured(file: string): Promise<CompileOptions> {
    try {
      return await this.ports.compileOptions(file, this.settings);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (!this.#reported.has(problem)) this.tell(MessageType.Error, problem);
      this.#reported.add(problem);
      return this.ports.compileOptions(file, { ...this.settings, configuration: false });
    }
  }

  forgetConfiguration(): void {
    this.#reported.clear();
    this.#types = new Map();
    this.ports.forgetConfiguration();
    for (const uri of this.documents.keys()) this.judge.stale(uri);
  }

  /** Judges open pipelines again that name a file whose text has changed. */
  fileChanged(uri: string): void {
    for (const other of this.#judgedBy.get(uri) ?? [])
      if (other !== uri && this.documents.get(other) !== undefined) this.judge.stale(other);
  }

  #noteNamed(file: string, by: string): void {
    const others = this.#judgedBy.get(file);
    if (others === undefined) this.#judgedBy.set(file, new Set([by]));
    else others.add(by);
  }

  async loadModels(): Promise<void> {
    this.#models = await this.ports.models();
  }

  /** Facts that completion and hovering may use for a document. */
  facts(uri: string): CompletionFacts {
    return { models: this.#models, files: (path) => this.workspace.filesFrom(uri, path) };
  }

  /** Text and offset that a request is about; undefined for a document that is unknown. */
  at({
    textDocument,
    position,
  }: TextDocumentPositionParams): (KnownText & { readonly offset: number }) | undefined {
    const known = this.workspace.known(textDocument.uri);
    return known && { ...known, offset: known.document.offsetAt(position) };
  }

  /**
   * Reads the files of the workspace that a search for a name needs, a few at a time.
   * @returns false if the request has been cancelled meanwhile
   */
  async readWorkspace(token: CancellationToken): Promise<boolean> {
    for (const [index, uri] of this.workspace.uris().entries()) {
      this.workspace.text(uri);
      if (index % filesAtOnce === 0 && !(await this.breathe(token))) return false;
    }
    return true;
  }

  /** Lets other messages pass, among them the one that cancels this request. */
  async breathe(token: CancellationToken): Promise<boolean> {
    await new Promise<void>((resolve) => this.ports.timers.soon(resolve));
    return !token.isCancellationRequested;
  }

  #openText(uri: string) {
    const document = this.documents.get(uri);
    return document && { uri, text: document.getText(), version: document.version };
  }
}
