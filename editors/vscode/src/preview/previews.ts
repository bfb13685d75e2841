import * as vscode from 'vscode';
import type { LanguageService } from '../server/language-service.js';
import { isPipeline } from '../server/pipeline-documents.js';
import type { PreviewSide } from './messages.js';
import { PreviewPanel, previewType } from './preview-panel.js';

/** The preview of a window; there is at most one. */
export class Previews implements vscode.Disposable, vscode.WebviewPanelSerializer {
  readonly #extension: vscode.Uri;
  readonly #service: () => LanguageService;
  #current: PreviewPanel | undefined;

  constructor(extension: vscode.Uri, service: () => LanguageService) {
    this.#extension = extension;
    this.#service = service;
  }

  /** Opens the preview next to the editor, or shows this document in it. */
  async open(uri: vscode.Uri | undefined, side: PreviewSide): Promise<void> {
    const document =
      uri === undefined
        ? vscode.window.activeTextEditor?.document
        : await vscode.workspace.openTextDocument(uri);
    if (document === undefined || !isPipeline(document)) {
      void vscode.window.showWarningMessage('Attractor: open a pipeline (.dot) first.');
      return;
    }
    if (this.#current === undefined) {
      const panel = vscode.window.createWebviewPanel(
        previewType,
        'Preview',
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        // A simulation would be lost with the page.
        { retainContextWhenHidden: true },
      );
      this.#adopt(panel);
    } else {
      this.#current.reveal();
    }
    this.#current?.show(document, side);
  }

  /** Takes over the preview of a window that was open before. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
    const document = editors.find((editor) => editor !== undefined && isPipeline(editor.document))?.document;
    if (this.#current !== undefined) {
      panel.dispose();
      return;
    }
    const preview = this.#adopt(panel);
    if (document !== undefined) preview.show(document);
  }

  dispose(): void {
    this.#current?.dispose();
  }

  #adopt(panel: vscode.WebviewPanel): PreviewPanel {
    panel.iconPath = vscode.Uri.joinPath(this.#extension, 'icon.png');
    const preview = new PreviewPanel(panel, this.#service(), this.#extension);
    this.#current = preview;
    panel.onDidDispose(() => {
      if (this.#current === preview) this.#current = undefined;
    });
    return preview;
  }
}
