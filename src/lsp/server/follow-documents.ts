import type { Session } from './session.js';

/** Judges documents as they are opened, changed and closed. */
export function followDocuments(session: Session): void {
  const { documents, judge, workspace, connection } = session;
  documents.onDidChangeContent(({ document: { uri } }) => {
    workspace.note(uri, true);
    judge.changed(uri);
    judgeThoseNaming(session, uri);
  });
  documents.onDidClose(({ document: { uri } }) => {
    judge.closed(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
}

/** Other open pipelines that name a file are judged by what is in it now. */
export function judgeThoseNaming({ documents, judge }: Session, uri: string): void {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  for (const document of documents.all())
    if (document.uri !== uri && document.getText().includes(name)) judge.stale(document.uri);
}
