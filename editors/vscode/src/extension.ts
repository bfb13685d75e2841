import * as vscode from 'vscode';
import { previewType } from './preview/preview-panel.js';
import { Previews } from './preview/previews.js';
import { currentCommand } from './server/current-command.js';
import { LanguageService } from './server/language-service.js';
import { taskProvider, taskType } from './tasks/task-provider.js';
import { TestExplorer } from './tests/test-explorer.js';

/** Settings that the server is started with. */
const startSettings = ['attractor.path', 'attractor.languages'] as const;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const { subscriptions, extensionUri } = context;
  const previews = new Previews(extensionUri, () => service);
  const service = new LanguageService(context, async (command, uri) => {
    if (command !== 'attractor.draw' && command !== 'attractor.simulate') return false;
    await previews.open(uri, command === 'attractor.draw' ? 'picture' : 'simulator');
    return true;
  });
  const command = () => currentCommand(context);
  subscriptions.push(
    service,
    previews,
    vscode.window.registerWebviewPanelSerializer(previewType, previews),
    vscode.commands.registerCommand('attractor.preview', (uri?: vscode.Uri) => previews.open(uri, 'picture')),
    vscode.commands.registerCommand('attractor.restartServer', () => service.restart()),
    vscode.commands.registerCommand('attractor.showOutput', () => service.showOutput()),
    vscode.tasks.registerTaskProvider(taskType, taskProvider(command)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (startSettings.some((name) => change.affectsConfiguration(name))) void service.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      offerTests();
      void service.restart();
    }),
  );
  const offerTests = (): void => void subscriptions.push(new TestExplorer(command));
  // Playing tests loads the plugins of the workspace.
  if (vscode.workspace.isTrusted) offerTests();
  await service.restart();
}
