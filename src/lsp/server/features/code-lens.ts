import { type CodeLens as LspLens, MessageType } from 'vscode-languageserver/node';
import { codeLenses, type LensCommand, lensCommands } from '../../services/code-lenses.js';
import { rangeOf } from '../convert.js';
import { performCommand } from '../perform-command.js';
import { pathOf } from '../workspace/workspace.js';
import type { Feature } from './feature.js';

/** Commands above a pipeline, and what became of its runs and tests. */
export const codeLensFeature: Feature = {
  capabilities: {
    codeLensProvider: { resolveProvider: false },
    executeCommandProvider: { commands: [...lensCommands] },
  },
  register(session) {
    const { connection, workspace, ports } = session;
    connection.onCodeLens(async ({ textDocument: { uri } }) => {
      const known = workspace.known(uri);
      const file = pathOf(uri);
      if (known === undefined || file === undefined || !session.settings.codeLens) return [];
      const facts = await ports.facts(file, known.pipeline.graph.name);
      const lenses = codeLenses(known.pipeline, { ...facts, coverage: session.coverage.get(uri) });
      return lenses.map(({ span, title, command }): LspLens => {
        const range = rangeOf(known.document, span);
        return {
          range,
          command: { title, command: command ?? '', arguments: command === undefined ? [] : [uri] },
        };
      });
    });
    connection.onExecuteCommand(async ({ command, arguments: [uri] = [] }, token) => {
      const known = lensCommands.find((one): one is LensCommand => one === command);
      const file = typeof uri === 'string' ? pathOf(uri) : undefined;
      if (known === undefined || file === undefined) {
        session.tell(
          MessageType.Error,
          `cannot perform "${command}": expected one of ${lensCommands.join(', ')}, and the URI of a file`,
        );
        return null;
      }
      return performCommand(known, file, session, token);
    });
  },
};
