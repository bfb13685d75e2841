import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { executable } from '../process/attractor.js';

/** Client of a real `attractor mcp`. */
export interface AgentClient {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Answered>;
}

export interface Answered {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** Answers a question of the server, in the place of a person. */
export type Person = (message: string, choices: unknown) => ElicitResult;

/** @param person without one, the client cannot ask anybody */
export async function startClient(
  cwd: string,
  flags: readonly string[] = [],
  person?: Person,
): Promise<AgentClient> {
  const client = clientWith(person);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [executable, 'mcp', ...flags],
    cwd,
    stderr: 'ignore',
    env: { PATH: process.env.PATH ?? '', HOME: cwd },
  });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, transport, call: callsOf(client) };
}

export function clientWith(person?: Person): Client {
  const capabilities = person === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
      person(params.message, 'requestedSchema' in params ? params.requestedSchema : undefined),
    );
  return client;
}

export function callsOf(client: Client): AgentClient['call'] {
  return async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: { ...args } });
    const blocks = result.content as readonly { readonly type: string; readonly text?: string }[];
    return {
      text: blocks.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])).join('\n'),
      data: (result.structuredContent ?? {}) as Answered['data'],
      isError: result.isError === true,
    };
  };
}
