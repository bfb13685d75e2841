import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { type AttractorCommand, chooseCommand } from './attractor-command.js';

/** Command line of this workspace, as its settings are now. */
export function currentCommand({ extensionPath }: vscode.ExtensionContext): AttractorCommand {
  return chooseCommand({
    setting: vscode.workspace.getConfiguration('attractor').get<string>('path'),
    folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    isTrusted: vscode.workspace.isTrusted,
    node: process.execPath,
    bundled: path.join(extensionPath, 'server', 'bin', 'attractor.js'),
    home: homedir(),
    exists: existsSync,
  });
}
