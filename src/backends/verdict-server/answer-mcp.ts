import { isRecord } from '../../graph/json.js';
import { version } from '../../version.js';
import { type VerdictDefinition, verdictTool } from '../verdict.js';
import type { VerdictReply } from './verdict-register.js';

/** Name that agents show before the name of the tool. */
export const verdictServerName = 'attractor';

/** Versions of the Model Context Protocol that do not differ in the parts needed here, the newest first. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The only tool of the server, with the function that takes its calls. */
export interface VerdictTool {
  readonly definition: VerdictDefinition;
  take(input: unknown): VerdictReply;
}

/**
 * Answers a line of an MCP client; undefined for one that needs no answer. A server with one tool is a page
 * of JSON-RPC: the library for it would bring a second validator and half a megabyte into the package.
 */
export function answerMcp(line: string, tool: VerdictTool): string | undefined {
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
      return result(id, { tools: [tool.definition] });
    case 'tools/call':
      return call(id, given, tool);
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

function call(id: unknown, { name, arguments: input }: Readonly<Record<string, unknown>>, tool: VerdictTool) {
  if (name !== verdictTool) {
    const known = `the only tool is "${verdictTool}"`;
    return refusal(id, invalidParams, `there is no tool ${JSON.stringify(name)}: ${known}`);
  }
  const { text, isError } = tool.take(input);
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
