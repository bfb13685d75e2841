import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CancellationToken,
  CancellationTokenSource,
  type CodeAction,
  type Hover,
  type Location,
  LSPErrorCodes,
  type WorkspaceEdit,
} from 'vscode-languageserver-protocol/node';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { type LanguageClient, startClient, startServer } from './language-client.js';

// The built `attractor lsp` over real pipes.

const text = `digraph G {
    graph [goal="x"]
    start [shape=Mdiamond]
    done  [shape=Msquare]
    plan  [prompt="Say" timeout=5s]
    start -> plan -> done
}
`;

let directory: string;
let uri: string;
beforeEach(() => {
  directory = temporaryDirectory();
  uri = pathToFileURL(join(directory, 'main.dot')).href;
});

describe('a session', () => {
  let client: LanguageClient;
  beforeEach(async () => {
    client = await startClient(directory, {
      workspaceFolders: [{ uri: pathToFileURL(directory).href, name: 'w' }],
    });
  });
  afterEach(() => {
    client.process.kill('SIGKILL');
  });

  const at = (line: number, character: number) => ({
    textDocument: { uri },
    position: { line, character },
  });

  it('shows a finding, fixes it, and shows no more', async () => {
    client.show(uri, text);
    const found = await client.findings(uri);
    expect(found.map(({ code, range }) => [code, range.start.line])).toContainEqual([
      'syntax/missing_comma',
      4,
    ]);
    const actions: CodeAction[] = await client.connection.sendRequest('textDocument/codeAction', {
      textDocument: { uri },
      range: { start: { line: 4, character: 0 }, end: { line: 4, character: 40 } },
      context: { diagnostics: [], only: ['quickfix'] },
    });
    expect(actions[0]?.title).toBe('insert a comma');
    expect(actions[0]?.edit?.changes?.[uri]).toEqual([
      { range: { start: { line: 4, character: 23 }, end: { line: 4, character: 23 } }, newText: ',' },
    ]);
    client.show(uri, text.replace('" timeout', '", timeout'));
    await client.findings(uri, (now) => now.every(({ code }) => code !== 'syntax/missing_comma'));
    expect(await client.end()).toBe(0);
  });

  it('renames in files that are not open', async () => {
    writeFileSync(
      join(directory, 'parent.dot'),
      'digraph P { run [type=pipeline, child="main.dot", params.files="x"] }\n',
    );
    const child = 'digraph C { graph [inputs="files: list"]; a [prompt="${inputs.files}"] }';
    client.show(uri, child);
    await client.findings(uri);
    let edit: WorkspaceEdit | null = null;
    // The workspace is searched while the server already answers.
    await expect
      .poll(
        async () => {
          edit = await client.connection.sendRequest('textDocument/rename', {
            ...at(0, child.indexOf('files') + 1),
            newName: 'paths',
          });
          return Object.keys(edit?.changes ?? {}).length;
        },
        { timeout: 20_000 },
      )
      .toBe(2);
    expect(edit).toMatchObject({
      changes: { [pathToFileURL(join(directory, 'parent.dot')).href]: [{ newText: 'paths' }] },
    });
  });

  it('answers positions outside of the text, unknown documents and unknown requests', async () => {
    client.show(uri, text);
    const hover: Hover | null = await client.connection.sendRequest('textDocument/hover', at(4, 5));
    expect(JSON.stringify(hover)).toContain('plan (LLM stage)');
    for (const [line, character] of [
      [99999, 0],
      [4, 99999],
      [2147483647, 2147483647],
    ] as const)
      await client.connection.sendRequest('textDocument/completion', at(line, character));
    const unknown = { textDocument: { uri: 'untitled:nothing' }, position: { line: 0, character: 0 } };
    expect(await client.connection.sendRequest('textDocument/hover', unknown)).toBeNull();
    await expect(client.connection.sendRequest('textDocument/nonsense', {})).rejects.toThrow(/nonsense/);
    expect(await client.end()).toBe(0);
  });

  it('judges a document that has no file', async () => {
    client.show('untitled:Untitled-1', text);
    const found = await client.findings('untitled:Untitled-1');
    expect(found.map(({ code }) => code)).toContain('syntax/missing_comma');
  });

  it('answers every kind of question', async () => {
    writeFileSync(join(directory, 'main.dot'), text);
    client.show(uri, text);
    await client.findings(uri);
    const { connection } = client;
    const document = { textDocument: { uri } };
    const ask = async (method: string, params: object) =>
      JSON.stringify(await connection.sendRequest(method, params));
    expect(await ask('textDocument/documentSymbol', document)).toContain('LLM stage');
    expect(await ask('textDocument/foldingRange', document)).toContain('"startLine":0');
    expect(await ask('textDocument/semanticTokens/full', document)).toContain('"data":[0,0,7,0,0,');
    expect(await ask('textDocument/codeLens', document)).toContain('attractor.simulate');
    expect(await ask('textDocument/documentLink', document)).toBe('[]');
    expect(await ask('textDocument/definition', at(5, 14))).toContain('"line":4');
    expect(
      await ask('textDocument/references', { ...at(5, 14), context: { includeDeclaration: true } }),
    ).toContain('"line":4');
    expect(await ask('textDocument/documentHighlight', at(5, 14))).toContain('"line":4');
    expect(await ask('textDocument/completion', at(4, 23))).toContain('isIncomplete');
    expect(await ask('textDocument/signatureHelp', at(4, 23))).toBe('null');
    expect(await ask('textDocument/prepareCallHierarchy', at(0, 9))).toContain('"name":"G"');
    expect(
      await ask('textDocument/selectionRange', { ...document, positions: [{ line: 5, character: 14 }] }),
    ).toContain('parent');
    expect(
      await ask('textDocument/inlayHint', {
        ...document,
        range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } },
      }),
    ).toContain('LLM stage');
    expect(
      await ask('textDocument/formatting', { ...document, options: { tabSize: 4, insertSpaces: true } }),
    ).toBe('[]');
    expect(await ask('workspace/symbol', { query: 'pln' })).toContain('"name":"plan"');
  });

  it('performs the command of a code lens, and says what it printed', async () => {
    const file = join(directory, 'main.dot');
    writeFileSync(file, text.replace('" timeout', '", timeout'));
    const shown = new Promise<string>((resolve) => {
      client.connection.onNotification('window/showMessage', ({ message }) => resolve(message));
    });
    const result = await client.connection.sendRequest('workspace/executeCommand', {
      command: 'attractor.simulate',
      arguments: [uri],
    });
    expect(result).toMatchObject({ status: 0 });
    expect(await shown).toContain('success');
    expect(
      await client.connection.sendRequest('workspace/executeCommand', { command: 'rm', arguments: [] }),
    ).toBeNull();
  });

  it('draws a text as it is in the editor', async () => {
    const draw = (params: unknown) => client.connection.sendRequest('attractor/drawing', params);
    const document = { textDocument: { uri } };
    client.show(uri, text.replace('" timeout', '", timeout'));
    await expect(draw(document)).resolves.toEqual({
      svg: expect.stringMatching(/^<svg class="attractor"[\s\S]*id="node-plan"/),
    });
    client.show(uri, text);
    await expect(draw(document)).rejects.toThrow('cannot draw: the text has syntax errors');
    client.show(uri, '');
    await expect(draw(document)).rejects.toThrow('cannot draw: the text has syntax errors');
    for (const nonsense of [
      undefined,
      {},
      { textDocument: 3 },
      { textDocument: { uri: 'file:///none.dot' } },
    ])
      await expect(draw(nonsense)).rejects.toThrow('cannot draw: expected { "textDocument"');
    expect(client.initialized.capabilities.experimental).toEqual({ drawing: true });
  });

  it('keeps answering with 10 000 open files', async () => {
    for (let index = 0; index < 10_000; index += 1) client.show(`file:///w/f${index}.dot`, text);
    client.show(uri, text);
    const hover: Hover | null = await client.connection.sendRequest('textDocument/hover', at(4, 5));
    expect(JSON.stringify(hover)).toContain('plan (LLM stage)');
  });

  it('judges a pipeline again when the open text of its child changes', async () => {
    const childUri = pathToFileURL(join(directory, 'child.dot')).href;
    const frame = 'start [shape=Mdiamond]; done [shape=Msquare]';
    client.show(childUri, `digraph C { ${frame}; start -> done }`);
    client.show(uri, `digraph G { ${frame}; run [type=pipeline, child="child.dot"]; start -> run -> done }`);
    await client.findings(uri);
    client.show(childUri, `digraph C { ${frame}; start -> `);
    const found = await client.findings(uri, (now) => now.some(({ code }) => code === 'child_errors'));
    expect(found.find(({ code }) => code === 'child_errors')?.relatedInformation?.[0]?.location.uri).toBe(
      childUri,
    );
  });

  it('reports a configuration that cannot be used, and works without it', async () => {
    const shown = new Promise<string>((resolve) => {
      client.connection.onNotification('window/showMessage', ({ message }) => resolve(message));
    });
    writeFileSync(join(directory, 'attractor.config.yaml'), 'rules: {nonsense: [');
    client.show(uri, text);
    expect(await shown).toContain('attractor.config.yaml');
    expect((await client.findings(uri)).length).toBeGreaterThan(0);
  });
});

describe('a workspace that changes', () => {
  const folderOf = (name: string) => ({ uri: pathToFileURL(join(directory, name)).href, name });
  const child = 'digraph C { graph [inputs="files: list"]; a [prompt="${inputs.files}"] }';
  const parent = 'digraph P { run [type=pipeline, child="../child.dot", params.files="x"] }\n';
  let client: LanguageClient;
  beforeEach(async () => {
    for (const name of ['one', 'two']) {
      mkdirSync(join(directory, name));
      writeFileSync(join(directory, name, 'parent.dot'), parent);
    }
    uri = pathToFileURL(join(directory, 'child.dot')).href;
    client = await startClient(directory, {
      workspaceFolders: [folderOf('one')],
      capabilities: { workspace: { workspaceFolders: true } },
    });
  });
  afterEach(() => {
    client.process.kill('SIGKILL');
  });

  const references = (token?: CancellationToken): Promise<readonly Location[] | null> =>
    client.connection.sendRequest(
      'textDocument/references',
      {
        textDocument: { uri },
        position: { line: 0, character: child.indexOf('files') + 1 },
        context: { includeDeclaration: true },
      },
      token ?? CancellationToken.None,
    );
  const others = async () =>
    (await references())?.map((found) => found.uri).filter((found) => found !== uri) ?? [];

  it('finds what is in its folders now', async () => {
    client.show(uri, child);
    const place = (name: string) => `${folderOf(name).uri}/parent.dot`;
    await expect.poll(others, { timeout: 20_000 }).toEqual([place('one')]);
    void client.connection.sendNotification('workspace/didChangeWorkspaceFolders', {
      event: { added: [folderOf('two')], removed: [folderOf('one')] },
    });
    await expect.poll(others, { timeout: 20_000 }).toEqual([place('two')]);
  });

  it('follows the settings of the editor', async () => {
    client.show(uri, child);
    await client.findings(uri);
    const hints = async () => {
      const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
      const found: readonly unknown[] | null = await client.connection.sendRequest('textDocument/inlayHint', {
        textDocument: { uri },
        range,
      });
      return found?.length;
    };
    const set = (settings: unknown) =>
      client.connection.sendNotification('workspace/didChangeConfiguration', { settings });
    expect(await hints()).toBe(1);
    await set({ attractor: { inlayHints: false } });
    expect(await hints()).toBe(0);
    await set({ attractor: { inlayHints: 'nonsense' } });
    expect(await hints()).toBe(1);
    await set(null);
    expect(await hints()).toBe(1);
  });

  it('ends a search through many files when it is cancelled, and answers the next request', async () => {
    for (let index = 0; index < 2000; index += 1)
      writeFileSync(join(directory, 'two', `p${index}.dot`), parent);
    client.show(uri, child);
    void client.connection.sendNotification('workspace/didChangeWorkspaceFolders', {
      event: { added: [folderOf('two')], removed: [] },
    });
    await expect.poll(async () => (await others()).length, { timeout: 60_000 }).toBe(2002);
    const source = new CancellationTokenSource();
    const answer = references(source.token);
    source.cancel();
    await expect(answer).rejects.toMatchObject({ code: LSPErrorCodes.RequestCancelled });
    // Other requests get through while it searches.
    const ended: string[] = [];
    const search = others();
    const later = client.connection.sendRequest('textDocument/hover', {
      textDocument: { uri },
      position: { line: 0, character: 0 },
    });
    await Promise.all([
      search.then((found) => ended.push(`${found.length} places`)),
      later.then(() => ended.push('hover')),
    ]);
    expect(ended).toEqual(['hover', '2002 places']);
  });
});

describe('a client that misbehaves', () => {
  it('dies in the middle of a message: the server ends', async () => {
    const server = startServer(directory);
    server.stdin?.write('Content-Length: 5000\r\n\r\n{"jsonrpc":"2.0"');
    server.stdin?.end();
    const [code, signal] = await once(server, 'exit');
    expect({ code, signal }).toEqual({ code: expect.any(Number), signal: null });
  });

  it('sends what is no message: the next one is answered', async () => {
    const server = startServer(directory);
    const send = (body: string) =>
      server.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    send('{not json');
    send('[1, 2]');
    send('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}');
    let output = '';
    server.stdout?.on('data', (data) => {
      output += String(data);
    });
    await expect.poll(() => output, { timeout: 20_000 }).toContain('"serverInfo"');
    send('{"jsonrpc":"2.0","id":2,"method":"shutdown"}');
    send('{"jsonrpc":"2.0","method":"exit"}');
    const [code] = await once(server, 'exit');
    expect(code).toBe(0);
  });
});
