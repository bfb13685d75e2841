import type { Session } from './session.js';

/** Judges documents as they are opened, changed and closed. */
export function followDocuments(session: Session): void {
  const { documents, judge, workspace, connection } = session;
  documents.onDidChangeContent(({ document: { uri } }) => {
    workspace.note(uri, true);
    judge.changed(uri);
    session.fileChanged(uri);
  });
  documents.onDidClose(({ document: { uri } }) => {
    judge.closed(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
}
