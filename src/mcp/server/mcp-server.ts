import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  type Tool as ListedTool,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { didYouMean } from '../../diagnostic/did-you-mean.js';
import { messageOf } from '../../handlers/error-category.js';
import type { Log } from '../../telemetry/log.js';
import { version } from '../../version.js';
import { prompts, promptText } from '../prompts/prompts.js';
import { resourceAt, resources } from '../resources/resources.js';
import { tools } from '../tools/index.js';
import type { Tool, ToolAnswer } from '../tools/tool.js';
import type { Workbench } from '../tools/workbench.js';
import { problemText } from './problem-text.js';

/** Words for the model of the client, once for each session. */
const instructions = `attractor compiles and runs AI pipelines written in Graphviz DOT.
To write or repair a pipeline: check, then fix, then change what remains at its line and column, then simulate. explain tells more about a rule or a finding.
Read attractor://docs/pipelines before you write your first pipeline, and attractor://examples/… for models to follow.
simulate and test call no model and cost nothing; run may.`;

/**
 * Server of one client (Model Context Protocol).
 * @param workbenchOf makes the workbench of the session, when the first tool is called
 */
export function attractorServer(workbenchOf: (server: McpServer) => Workbench, log: Log): McpServer {
  const mcp = new McpServer({ name: 'attractor', title: 'Attractor', version }, { instructions });
  const { server } = mcp;
  server.registerCapabilities({ tools: {}, resources: {}, prompts: {} });
  let workbench: Workbench | undefined;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = toolNamed(params.name);
    workbench ??= workbenchOf(mcp);
    const token = extra._meta?.progressToken;
    let progress = 0;
    const tell = (message: string): void => {
      if (token === undefined) return;
      progress += 1;
      const told = { progressToken: token, progress, message };
      extra.sendNotification({ method: 'notifications/progress', params: told }).catch(() => undefined);
    };
    try {
      const call = { signal: extra.signal, progress: tell };
      return resultOf(await tool.call(params.arguments ?? {}, workbench, call));
    } catch (error) {
      return { content: [{ type: 'text', text: problemText(error, log) }], isError: true };
    }
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: resources().map(({ uri, name, description, mimeType }) => ({
      uri,
      name,
      description,
      mimeType,
    })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const { mimeType, text } = invalidParams(() => resourceAt(uri));
    return { contents: [{ uri, mimeType, text: text() }] };
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: prompts.map(({ text: _, ...prompt }) => ({ ...prompt, arguments: [...prompt.arguments] })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: values = {} } }) => {
    const text = invalidParams(() => promptText(name, values));
    return { messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  return mcp;
}

function listed({ name, title, description, input, effects }: Tool): ListedTool {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return {
    name,
    title,
    description,
    inputSchema: { ...schema, type: 'object' } as ListedTool['inputSchema'],
    annotations: {
      readOnlyHint: effects === 'none',
      destructiveHint: effects === 'run',
      openWorldHint: effects === 'run',
    },
  };
}

/** @throws McpError with the nearest name */
function toolNamed(name: string): Tool {
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const names = tools.map((tool) => tool.name);
  throw new McpError(
    ErrorCode.InvalidParams,
    `there is no tool "${name}"${didYouMean(name, names)}. Available: ${names.join(', ')}`,
  );
}

/** Turns the mistake of a client into an error of the protocol. */
function invalidParams<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw new McpError(ErrorCode.InvalidParams, messageOf(error));
  }
}

function resultOf({ text, data, attachment, failed }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text }, ...attached(attachment)],
    structuredContent: data && JSON.parse(JSON.stringify(data)),
    isError: failed,
  };
}

function attached(attachment: ToolAnswer['attachment']): CallToolResult['content'] {
  switch (attachment?.kind) {
    case undefined:
      return [];
    case 'image':
      return [
        { type: 'image', mimeType: attachment.type, data: Buffer.from(attachment.bytes).toString('base64') },
      ];
    case 'document':
      return [
        {
          type: 'resource',
          resource: {
            uri: `attractor://drawings/${attachment.name}`,
            mimeType: attachment.type,
            text: attachment.text,
          },
        },
      ];
  }
}
