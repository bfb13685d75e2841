import {
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  type ServerCapabilities,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
import { version } from '../../version.js';
import { diagnosticOf } from './diagnostic-of.js';
import { features } from './features/index.js';
import { followDocuments } from './follow-documents.js';
import { followFolders, followSurroundings, readConfiguration } from './follow-surroundings.js';
import type { Judgement } from './judge.js';
import { type ServerPorts, Session } from './session.js';
import { readSettings } from './settings.js';
import type { SearchLimits } from './workspace/find-pipelines.js';

/**
 * Serves pipelines to an editor (Language Server Protocol 3.17).
 * @param limits of the search for pipelines in the workspace
 */
export function serveLanguage(connection: Connection, ports: ServerPorts, limits?: SearchLimits): void {
  const session = new Session(connection, ports, (uri, judgement) => publish(session, uri, judgement));
  let isShutDown = false;
  connection.onInitialize((params) => initialize(session, params));
  connection.onInitialized(() => {
    void begin(session, () => isShutDown, limits);
  });
  connection.onShutdown(() => {
    isShutDown = true;
  });
  for (const feature of features) feature.register(session);
  followDocuments(session);
  followSurroundings(session);
  session.documents.listen(connection);
  connection.listen();
}

function initialize(session: Session, params: InitializeParams): InitializeResult {
  session.client = params.capabilities;
  const root = params.rootUri ?? undefined;
  session.folders = params.workspaceFolders?.map(({ uri }) => uri) ?? (root === undefined ? [] : [root]);
  session.settings = readSettings(params.initializationOptions);
  return {
    serverInfo: { name: 'attractor', version },
    capabilities: Object.assign(
      {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      } satisfies ServerCapabilities,
      ...features.map(({ capabilities }) => capabilities),
    ),
  };
}

async function begin(session: Session, isStopped: () => boolean, limits?: SearchLimits): Promise<void> {
  const { connection, client } = session;
  const { workspace } = client;
  const registered: Promise<unknown>[] = [];
  if (workspace?.didChangeConfiguration?.dynamicRegistration)
    registered.push(
      connection.client.register(DidChangeConfigurationNotification.type, { section: 'attractor' }),
    );
  if (workspace?.didChangeWatchedFiles?.dynamicRegistration)
    registered.push(
      connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: [{ globPattern: '**/*.{dot,gv,md,txt}' }, { globPattern: '**/attractor.config.*' }],
      }),
    );
  followFolders(session, isStopped, limits);
  await Promise.allSettled([...registered, readConfiguration(session), session.loadModels()]);
  await searchWorkspace(session, isStopped, limits);
}

async function searchWorkspace(
  session: Session,
  isStopped: () => boolean,
  limits?: SearchLimits,
): Promise<void> {
  const { connection, client, folders } = session;
  if (folders.length === 0) return;
  const progress = client.window?.workDoneProgress
    ? await connection.window.createWorkDoneProgress()
    : undefined;
  progress?.begin('attractor', undefined, 'looking for pipelines', true);
  const stopped = (): boolean => isStopped() || progress?.token.isCancellationRequested === true;
  const { files, isCut } = await session.workspace.search(folders, stopped, limits);
  progress?.done();
  if (isCut)
    connection.console.warn(
      `attractor: the workspace is too large to look at every file; names are followed through the first ${files.length} pipelines and those that are open`,
    );
}

function publish(session: Session, uri: string, { version: of, findings }: Judgement): void {
  const document = session.documents.get(uri);
  if (document === undefined) return;
  const diagnostics = findings.map((finding) => diagnosticOf(finding, document, session));
  void session.connection.sendDiagnostics({ uri, version: of, diagnostics });
}
