import * as vscode from 'vscode';
import {
  type ExecuteCommandSignature,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';
import { currentCommand } from './current-command.js';
import { isPipeline, servedLanguages } from './pipeline-documents.js';
import { serverSettings } from './server-settings.js';
import { withoutType } from './without-type.js';

/** Called instead of the server, for commands that the extension performs itself; true if it did. */
export type OwnCommand = (command: string, uri: vscode.Uri) => Promise<boolean>;

/** Language server of the window: started again whenever what it depends on changes. */
export class LanguageService implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #own: OwnCommand;
  readonly #output: vscode.LogOutputChannel;
  readonly #started = new vscode.EventEmitter<void>();
  #client: LanguageClient | undefined;
  /** Starts and stops one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(context: vscode.ExtensionContext, own: OwnCommand) {
    this.#context = context;
    this.#own = own;
    this.#output = vscode.window.createOutputChannel('Attractor', { log: true });
  }

  readonly onStarted = this.#started.event;

  /** Starts the server, or ends it and starts it again. */
  restart(): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      await this.#stop();
      await this.#start();
    });
    return this.#turn;
  }

  /**
   * Drawing of a document, as SVG.
   * @throws an `Error` with the reason why there is none
   */
  async draw(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    await this.#turn;
    const client = this.#client;
    if (client === undefined)
      throw new Error('The language server is not running: see the output "Attractor".');
    const { capabilities, serverInfo } = client.initializeResult ?? {};
    if (capabilities?.experimental?.drawing !== true)
      throw new Error(
        `The attractor of this workspace (${serverInfo?.version ?? 'unknown version'}) is too old to draw for editors: update it, or set "attractor.path".`,
      );
    const { svg } = await client.sendRequest<{ readonly svg: string }>(
      'attractor/drawing',
      { textDocument: { uri: client.code2ProtocolConverter.asUri(uri) } },
      token,
    );
    return svg;
  }

  showOutput(): void {
    this.#output.show();
  }

  async dispose(): Promise<void> {
    await this.#turn.then(() => this.#stop());
    this.#started.dispose();
    this.#output.dispose();
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.dispose().catch((error: unknown) => this.#output.warn(String(error)));
  }

  async #start(): Promise<void> {
    const { command, args, env, origin } = currentCommand(this.#context);
    this.#output.info(`starting ${[command, ...args].join(' ')} lsp (${origin})`);
    const client = new LanguageClient(
      'attractor',
      'Attractor',
      { command, args: [...args, 'lsp'], options: { env: { ...process.env, ...env } } },
      this.#options(),
    );
    try {
      await client.start();
      this.#client = client;
      this.#started.fire();
    } catch (error) {
      // The client has shown a message already; what it has registered would try to start it again.
      await client.dispose().catch(() => undefined);
      const reason = error instanceof Error ? error.message : String(error);
      this.#output.error(
        `${reason}; ${origin === 'setting' ? 'correct "attractor.path"' : 'set "attractor.path"'}`,
      );
    }
  }

  #options(): LanguageClientOptions {
    const settings = (): Readonly<Record<string, unknown>> =>
      serverSettings({ ...vscode.workspace.getConfiguration('attractor') }, vscode.workspace.isTrusted);
    return {
      documentSelector: servedLanguages().map((language) => ({ language })),
      initializationOptions: settings(),
      outputChannel: this.#output,
      middleware: {
        executeCommand: (command, args, next) => this.#execute(command, args, next),
        provideDocumentSemanticTokens: async (document, token, next) =>
          this.#refining(document, await next(document, token)),
        provideDocumentRangeSemanticTokens: async (document, range, token, next) =>
          this.#refining(document, await next(document, range, token)),
        workspace: {
          // Asked for the section: the settings that the server may have here.
          configuration: (params) => params.items.map(() => settings()),
        },
      } satisfies Middleware,
    };
  }

  /** Tokens without whole strings: the grammar colours what is in them, Markdown and shell commands. */
  #refining(
    document: vscode.TextDocument,
    tokens: vscode.SemanticTokens | null | undefined,
  ): vscode.SemanticTokens | null | undefined {
    const { semanticTokensProvider: provider } = this.#client?.initializeResult?.capabilities ?? {};
    const string = provider?.legend.tokenTypes.indexOf('string') ?? -1;
    if (!tokens || string < 0 || document.languageId !== 'attractor-dot') return tokens;
    return new vscode.SemanticTokens(withoutType(tokens.data, string), tokens.resultId);
  }

  /** Commands of the server work on a file as it was saved, that of the lens or the one in the editor. */
  async #execute(command: string, args: readonly unknown[], next: ExecuteCommandSignature): Promise<unknown> {
    const uri = pipelineOf(args);
    if (uri === undefined) {
      void vscode.window.showWarningMessage('Attractor: open a pipeline (.dot) first.');
      return undefined;
    }
    if (await this.#own(command, uri)) return undefined;
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showWarningMessage('Attractor: trust this workspace to run or test its pipelines.');
      return undefined;
    }
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
    if (document?.isDirty === true && !(await document.save())) return undefined;
    return next(command, [uri.toString()]);
  }
}

function pipelineOf([first]: readonly unknown[]): vscode.Uri | undefined {
  if (typeof first === 'string') return vscode.Uri.parse(first);
  if (first instanceof vscode.Uri) return first;
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && isPipeline(document) ? document.uri : undefined;
}
