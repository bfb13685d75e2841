import { CodeActionKind, type CodeAction as LspAction } from 'vscode-languageserver/node';
import { type CodeAction, fixAll, quickFixes } from '../../services/diagnostics/code-actions.js';
import { spanOf, workspaceEdit } from '../convert.js';
import { diagnosticOf } from '../diagnostic-of.js';
import type { Session } from '../session.js';
import type { KnownText } from '../workspace/workspace.js';
import type { Feature } from './feature.js';

/** Kind of the action that makes every safe fix, which an editor can run when it saves. */
const fixAllKind = `${CodeActionKind.SourceFixAll}.attractor`;

export const codeActionFeature: Feature = {
  capabilities: { codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, fixAllKind] } },
  register(session) {
    session.connection.onCodeAction(async ({ textDocument: { uri }, range, context: { only } }) => {
      const known = session.workspace.known(uri);
      if (known === undefined) return null;
      const { pipeline, document } = known;
      const findings = session.judge.findings({ uri, text: pipeline.text }) ?? [];
      const quick = wants(only, CodeActionKind.QuickFix)
        ? quickFixes(pipeline, findings, spanOf(document, range))
        : [];
      const actions = quick.map((action) => actionOf(action, CodeActionKind.QuickFix, known, session));
      if (!wants(only, fixAllKind)) return actions;
      const all = fixAll(pipeline, await session.compileOptions(uri));
      return all === undefined ? actions : [...actions, actionOf(all, fixAllKind, known, session)];
    });
  },
};

/** An editor that asks for a kind means all kinds below it; one that asks for none means all. */
function wants(only: readonly string[] | undefined, kind: string): boolean {
  return only === undefined || only.some((one) => one === '' || kind === one || kind.startsWith(`${one}.`));
}

function actionOf(
  { title, edits, finding, isPreferred }: CodeAction,
  kind: string,
  { pipeline, document }: KnownText,
  session: Session,
): LspAction {
  const { uri } = pipeline;
  const edit = workspaceEdit(
    edits.map((one) => ({ uri, ...one })),
    () => document,
  );
  const diagnostics = finding === undefined ? undefined : [diagnosticOf(finding, document, session)];
  return { title, kind, edit, diagnostics, isPreferred: isPreferred ? true : undefined };
}
