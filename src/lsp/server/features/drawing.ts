import { ErrorCodes, LSPErrorCodes, ResponseError } from 'vscode-languageserver/node';
import { hasErrors } from '../../../diagnostic/diagnostic.js';
import type { Feature } from './feature.js';

/** Request for the drawing of a document, as SVG for light and dark pages: `{ textDocument: { uri } }` gives `{ svg }`. */
const drawingRequest = 'attractor/drawing';

/** Draws documents for clients that show them next to the text; the protocol has no such request. */
export const drawingFeature: Feature = {
  capabilities: { experimental: { drawing: true } },
  register({ connection, workspace, ports }) {
    connection.onRequest(drawingRequest, async (params: unknown) => {
      const known = workspace.known(uriOf(params) ?? '');
      if (known === undefined)
        return new ResponseError(
          ErrorCodes.InvalidParams,
          `cannot draw: expected { "textDocument": { "uri": … } } with the URI of a pipeline`,
        );
      const { parsed, graph, handlerTypes } = known.pipeline;
      if (parsed.document.graph === undefined || hasErrors(parsed.diagnostics))
        return new ResponseError(LSPErrorCodes.RequestFailed, 'cannot draw: the text has syntax errors');
      const { renderSvg } = await import('../../../render/svg.js');
      try {
        return {
          svg: await renderSvg(graph, { handlerTypes: handlerTypes.described?.values() }, ports.layout),
        };
      } catch (error) {
        return new ResponseError(
          LSPErrorCodes.RequestFailed,
          error instanceof Error ? error.message : String(error),
        );
      }
    });
  },
};

function uriOf(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null || !('textDocument' in params)) return undefined;
  const { textDocument } = params;
  if (typeof textDocument !== 'object' || textDocument === null || !('uri' in textDocument)) return undefined;
  return typeof textDocument.uri === 'string' ? textDocument.uri : undefined;
}
