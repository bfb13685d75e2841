import { LSPErrorCodes, ResponseError } from 'vscode-languageserver/node';
import { renamableAt, renameAt } from '../../services/rename.js';
import { cancelled, rangeOf, workspaceEdit } from '../convert.js';
import type { Feature } from './feature.js';

export const renameFeature: Feature = {
  capabilities: { renameProvider: { prepareProvider: true } },
  register(session) {
    const { connection, workspace } = session;
    connection.onPrepareRename((params) => {
      const at = session.at(params);
      const found = at && renamableAt(at.pipeline, at.offset, workspace);
      if (at === undefined || found === undefined) return null;
      if (found.kind === 'refused') throw new ResponseError(LSPErrorCodes.RequestFailed, found.problem);
      return { range: rangeOf(at.document, found.span), placeholder: found.name };
    });
    connection.onRenameRequest(async (params, token) => {
      if (!(await session.readWorkspace(token))) return cancelled;
      const at = session.at(params);
      if (at === undefined) return null;
      const renaming = renameAt(at.pipeline, at.offset, params.newName, workspace);
      if (renaming.kind === 'refused') throw new ResponseError(LSPErrorCodes.RequestFailed, renaming.problem);
      return workspaceEdit(renaming.edits, (uri) => workspace.document(uri));
    });
  },
};
