import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/**
 * The address of a server in front of a mock of OpenAI's models, which the mock cannot be: Codex keeps the tools of MCP servers in
 * namespaces, and the calls of a model name them.
 */
export async function withNamespace(url: string, namespace: string, tool: string): Promise<string> {
  const plain = `"name":"${tool}"`;
  const server = createServer(async (request, response) => {
    const answer = await fetch(new URL(request.url ?? '/', url), await forwarded(request));
    const body = (await answer.text()).replaceAll(plain, `"namespace":"${namespace}",${plain}`);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function forwarded(request: IncomingMessage): Promise<RequestInit> {
  const { method = 'GET', headers } = request;
  const kept = ['authorization', 'content-type', 'accept'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  const body = await text(request);
  return { method, headers: kept, ...(body !== '' && { body: withoutNamespaces(body) }) };
}

interface Tool {
  readonly type: string;
  readonly tools?: readonly Tool[];
}

/** The request with the tools of all namespaces as plain ones, which the mock can read. */
function withoutNamespaces(body: string): string {
  const asked = JSON.parse(body) as { readonly tools?: readonly Tool[] };
  return JSON.stringify({ ...asked, tools: asked.tools?.flatMap((tool) => tool.tools ?? [tool]) });
}
