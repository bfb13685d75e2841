import { FileChangeType } from 'vscode-languageserver/node';
import type { Session } from './session.js';
import { readSettings } from './settings.js';
import { isPipelineName, type SearchLimits } from './workspace/find-pipelines.js';

/** Follows changes of the settings and of the files around the documents. */
export function followSurroundings(session: Session): void {
  const { connection, workspace } = session;
  connection.onDidChangeConfiguration(({ settings }) => {
    const isAsked = session.client.workspace?.configuration === true;
    if (!isAsked) session.settings = readSettings(settings);
    void (isAsked ? readConfiguration(session) : Promise.resolve()).then(() => session.forgetConfiguration());
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    for (const { uri, type } of changes) {
      if (isPipelineName(uri)) workspace.note(uri, type !== FileChangeType.Deleted);
      if (isConfiguration(uri)) session.forgetConfiguration();
      else session.fileChanged(uri);
    }
  });
}

function isConfiguration(uri: string): boolean {
  return /\/attractor\.config\.\w+$/.test(uri);
}

/** Follows the folders of a client that may change them. */
export function followFolders(session: Session, isStopped: () => boolean, limits?: SearchLimits): void {
  const { connection, workspace, client } = session;
  if (!client.workspace?.workspaceFolders) return;
  connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
    const gone = new Set(removed.map(({ uri }) => uri));
    const found = added.map(({ uri }) => uri);
    session.folders = [...session.folders.filter((uri) => !gone.has(uri)), ...found];
    for (const uri of workspace.uris()) if (!isWithin(uri, session)) workspace.note(uri, false);
    void workspace.search(found, isStopped, limits);
  });
}

/** True for a file of a folder of the workspace, and for an open one. */
function isWithin(uri: string, { folders, documents }: Session): boolean {
  return (
    documents.get(uri) !== undefined ||
    folders.some((folder) => uri.startsWith(`${folder.replace(/\/$/, '')}/`))
  );
}

/** Asks a client for its settings, if it answers such questions. */
export async function readConfiguration(session: Session): Promise<void> {
  if (!session.client.workspace?.configuration) return;
  session.settings = readSettings(await session.connection.workspace.getConfiguration('attractor'));
}
