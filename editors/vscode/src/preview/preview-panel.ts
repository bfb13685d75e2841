import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { LanguageService } from '../server/language-service.js';
import { isPipeline } from '../server/pipeline-documents.js';
import { type PreviewSide, readFromPreview, type ToPreview } from './messages.js';
import { previewHtml } from './preview-html.js';
import { refusalOf } from './size-limit.js';

export const previewType = 'attractor.preview';

/** Pause in typing after which the text is shown and drawn, in milliseconds. */
const pauseMs = 250;

/** Panel next to the text that shows its picture and steps through it; it follows the pipeline in the active editor. */
export class PreviewPanel implements vscode.Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #service: LanguageService;
  readonly #disposables: vscode.Disposable[] = [];
  #document: vscode.TextDocument | undefined;
  #side: PreviewSide = 'picture';
  #isListening = false;
  #timer: NodeJS.Timeout | undefined;
  #drawing: vscode.CancellationTokenSource | undefined;

  constructor(panel: vscode.WebviewPanel, service: LanguageService, extension: vscode.Uri) {
    this.#panel = panel;
    this.#service = service;
    const folder = vscode.Uri.joinPath(extension, 'preview');
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    this.#disposables.push(
      webview.onDidReceiveMessage((sent: unknown) => void this.#receive(sent)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === this.#document) this.#showSoon();
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document === this.#document) this.#drawing?.cancel();
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor !== undefined && isPipeline(editor.document)) this.show(editor.document);
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.#followCursor(textEditor)),
      vscode.window.onDidChangeActiveColorTheme(() => this.#sendTheme()),
      service.onStarted(() => this.#showNow()),
      panel.onDidDispose(() => this.dispose()),
    );
    webview.html = previewHtml({
      origin: webview.cspSource,
      script: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'preview.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'preview.css')).toString(),
      nonce: randomBytes(18).toString('base64url'),
    });
  }

  /** Shows another document, or another side of this one. */
  show(document: vscode.TextDocument, side?: PreviewSide): void {
    if (side !== undefined) {
      this.#side = side;
      this.#send({ kind: 'side', side });
    }
    if (document === this.#document) return;
    this.#document = document;
    this.#panel.title = `Preview ${vscode.workspace.asRelativePath(document.uri)}`;
    this.#showNow();
  }

  reveal(): void {
    this.#panel.reveal(undefined, true);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#drawing?.cancel();
    for (const one of this.#disposables.splice(0)) one.dispose();
    this.#panel.dispose();
  }

  async #receive(sent: unknown): Promise<void> {
    const message = readFromPreview(sent);
    const document = this.#document;
    if (message?.kind === 'ready') {
      this.#isListening = true;
      this.#sendTheme();
      this.#send({ kind: 'side', side: this.#side });
      this.#showNow();
    } else if (message?.kind === 'open' && document !== undefined) {
      const place = document.positionAt(message.offset);
      const beside = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
      await vscode.window.showTextDocument(document, {
        selection: new vscode.Range(place, place),
        viewColumn: beside?.viewColumn ?? vscode.ViewColumn.One,
      });
    }
  }

  #showSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#showNow(), pauseMs);
  }

  #showNow(): void {
    const document = this.#document;
    clearTimeout(this.#timer);
    this.#drawing?.cancel();
    if (document === undefined || !this.#isListening) return;
    const name = vscode.workspace.asRelativePath(document.uri);
    const text = document.getText();
    const reason = refusalOf(text.length);
    if (reason !== undefined) {
      this.#send({ kind: 'refused', name, reason });
      return;
    }
    this.#send({ kind: 'text', name, text });
    const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
    if (editor !== undefined) this.#followCursor(editor);
    void this.#draw(document.uri, text);
  }

  async #draw(uri: vscode.Uri, text: string): Promise<void> {
    const drawing = new vscode.CancellationTokenSource();
    this.#drawing = drawing;
    try {
      const svg = await this.#service.draw(uri, drawing.token);
      if (!drawing.token.isCancellationRequested) this.#send({ kind: 'drawn', text, svg });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!drawing.token.isCancellationRequested) this.#send({ kind: 'not_drawn', text, reason });
    } finally {
      drawing.dispose();
    }
  }

  #followCursor({ document, selection }: vscode.TextEditor): void {
    if (document === this.#document)
      this.#send({ kind: 'cursor', offset: document.offsetAt(selection.active) });
  }

  #sendTheme(): void {
    const { kind } = vscode.window.activeColorTheme;
    const isLight = kind === vscode.ColorThemeKind.Light || kind === vscode.ColorThemeKind.HighContrastLight;
    this.#send({ kind: 'theme', theme: isLight ? 'light' : 'dark' });
  }

  #send(message: ToPreview): void {
    if (this.#isListening) void this.#panel.webview.postMessage(message);
  }
}
