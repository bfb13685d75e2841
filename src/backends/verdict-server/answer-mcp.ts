import { isRecord } from '../../graph/json.js';
import { version } from '../../version.js';
import type { VerdictReply } from './verdict-register.js';

/** Name that agents show before the name of the tool. */
export const verdictServerName = 'attractor';

/** Versions of the Model Context Protocol that do not differ in the parts needed here, the newest first. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Tool of the server, with the function that takes its calls. */
export interface ServedTool {
  readonly definition: { readonly name: string; readonly description: string; readonly inputSchema: object };
  take(input: unknown): VerdictReply | Promise<VerdictReply>;
}

/**
 * Answers a line of an MCP client; undefined for one that needs no answer. A server with two tools is a page
 * of JSON-RPC: the library for it would bring a second validator and half a megabyte into the package.
 */
export function answerMcp(line: string, tools: readonly ServedTool[]): string | undefined | Promise<string> {
  const message = parsed(line);
  if (!isRecord(message)) return refusal(null, invalidRequest, 'expected one JSON-RPC message a line');
  const { id, method, params } = message;
  if (typeof method !== 'string' || id === undefined) return undefined; // A notification, or a response to nothing.
  const given = isRecord(params) ? params : {};
  switch (method) {
    case 'initialize':
      return result(id, introduction(given.protocolVersion));
    case 'ping':
      return result(id, {});
    case 'tools/list':
      return result(id, { tools: tools.map(({ definition }) => definition) });
    case 'tools/call':
      return call(id, given, tools);
    default:
      return refusal(id, methodNotFound, `there is no method ${JSON.stringify(method)}`);
  }
}

function introduction(wanted: unknown): object {
  return {
    protocolVersion: protocolVersions.find((one) => one === wanted) ?? protocolVersions[0],
    capabilities: { tools: {} },
    serverInfo: { name: verdictServerName, version },
  };
}

function call(
  id: unknown,
  { name, arguments: input }: Readonly<Record<string, unknown>>,
  tools: readonly ServedTool[],
): string | Promise<string> {
  const tool = tools.find(({ definition }) => definition.name === name);
  if (tool === undefined) {
    const names = tools.map(({ definition }) => `"${definition.name}"`).join(' and ');
    const known = tools.length === 1 ? `the only tool is ${names}` : `there are ${names}`;
    return refusal(id, invalidParams, `there is no tool ${JSON.stringify(name)}: ${known}`);
  }
  const reply = tool.take(input);
  return reply instanceof Promise ? reply.then((late) => called(id, late)) : called(id, reply);
}

function called(id: unknown, { text, isError }: VerdictReply): string {
  return result(id, { content: [{ type: 'text', text }], isError });
}

// Codes of JSON-RPC.
const invalidRequest = -32600;
const methodNotFound = -32601;
const invalidParams = -32602;

function result(id: unknown, value: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: value });
}

function refusal(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
