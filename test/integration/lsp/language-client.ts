import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import {
  createProtocolConnection,
  type Diagnostic,
  type InitializeParams,
  type InitializeResult,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';

const attractor = join(import.meta.dirname, '../../../bin/attractor.js');

/** An editor that talks to a real `attractor lsp`. */
export interface LanguageClient {
  readonly process: ChildProcess;
  readonly connection: ProtocolConnection;
  readonly initialized: InitializeResult;
  /** Opens a text, or gives an open one another text. */
  show(uri: string, text: string): void;
  /** The next findings of a file that pass a test. */
  findings(uri: string, test?: (found: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]>;
  /** Exit status of the server; it is asked to end first. */
  end(): Promise<number | null>;
}

export function startServer(cwd: string): ChildProcess {
  return spawn(process.execPath, [attractor, 'lsp', '--stdio'], {
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
}

export async function startClient(
  cwd: string,
  params: Partial<InitializeParams> = {},
): Promise<LanguageClient> {
  const server = startServer(cwd);
  const { stdin, stdout } = server;
  if (stdin === null || stdout === null) throw new Error('no pipes');
  const connection = createProtocolConnection(
    new StreamMessageReader(stdout),
    new StreamMessageWriter(stdin),
  );
  const latest = new Map<string, readonly Diagnostic[]>();
  const waiting = new Set<() => void>();
  connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => {
    latest.set(uri, diagnostics);
    for (const look of waiting) look();
  });
  connection.onRequest('client/registerCapability', () => null);
  connection.onRequest('window/workDoneProgress/create', () => null);
  connection.listen();
  const initialized: InitializeResult = await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: null,
    capabilities: { textDocument: { publishDiagnostics: { relatedInformation: true } } },
    ...params,
  });
  await connection.sendNotification('initialized', {});
  const versions = new Map<string, number>();
  return {
    process: server,
    connection,
    initialized,
    show(uri, text) {
      const version = (versions.get(uri) ?? 0) + 1;
      versions.set(uri, version);
      if (version === 1)
        void connection.sendNotification('textDocument/didOpen', {
          textDocument: { uri, languageId: 'dot', version, text },
        });
      else
        void connection.sendNotification('textDocument/didChange', {
          textDocument: { uri, version },
          contentChanges: [{ text }],
        });
    },
    findings: (uri, test = () => true) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = latest.get(uri);
          if (found === undefined || !test(found)) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async end() {
      const ended = new Promise<number | null>((resolve) => server.once('exit', resolve));
      await connection.sendRequest('shutdown');
      await connection.sendNotification('exit');
      const code = await ended;
      connection.dispose();
      return code;
    },
  };
}
