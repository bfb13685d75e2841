import { type CallHierarchyItem, SymbolKind } from 'vscode-languageserver/node';
import {
  type Call,
  type CallItem,
  callItemAt,
  incomingCalls,
  outgoingCalls,
} from '../../services/call-hierarchy.js';
import { rangeOf } from '../convert.js';
import type { Session } from '../session.js';
import type { Feature } from './feature.js';

/** Pipelines that run one another, as calls. */
export const callHierarchyFeature: Feature = {
  capabilities: { callHierarchyProvider: true },
  register(session) {
    const { connection, workspace } = session;
    const { callHierarchy } = connection.languages;
    callHierarchy.onPrepare((params) => {
      const at = session.at(params);
      const item = at && callItemAt(at.pipeline, at.offset, workspace);
      return item === undefined ? null : itemsOf(item, session);
    });
    callHierarchy.onOutgoingCalls(({ item: { uri } }) => {
      const pipeline = workspace.pipeline(uri);
      const calls = pipeline === undefined ? [] : outgoingCalls(pipeline, workspace);
      return calls.flatMap((call) =>
        itemsOf(call.item, session).map((to) => ({ to, fromRanges: rangesOf(call, uri, session) })),
      );
    });
    callHierarchy.onIncomingCalls(({ item: { uri } }) => {
      const pipeline = workspace.pipeline(uri);
      const calls = pipeline === undefined ? [] : incomingCalls(pipeline, workspace);
      return calls.flatMap((call) =>
        itemsOf(call.item, session).map((from) => ({
          from,
          fromRanges: rangesOf(call, call.item.uri, session),
        })),
      );
    });
  },
};

/** None for a file that has gone meanwhile. */
function itemsOf({ uri, name, span, nameSpan }: CallItem, { workspace }: Session): CallHierarchyItem[] {
  const document = workspace.document(uri);
  if (document === undefined) return [];
  const range = rangeOf(document, span);
  return [{ uri, name, kind: SymbolKind.Module, range, selectionRange: rangeOf(document, nameSpan) }];
}

/** @param uri of the caller, in which the places are */
function rangesOf({ places }: Call, uri: string, { workspace }: Session) {
  const document = workspace.document(uri);
  return document === undefined ? [] : places.map((span) => rangeOf(document, span));
}
