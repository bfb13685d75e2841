import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

// A server for tests: it adds, refuses, and leaves its process id in the file that it is told.

appendFileSync(process.argv[2], `${process.pid}\n`);
const server = new McpServer({ name: 'calculator', version: '1.0.0' });
server.registerTool(
  'add',
  { description: 'Adds two numbers.', inputSchema: { a: z.number(), b: z.number() } },
  ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
);
server.registerTool('refuse', { description: 'Refuses.', inputSchema: {} }, () => ({
  isError: true,
  content: [{ type: 'text', text: 'not today' }],
}));
await server.connect(new StdioServerTransport());
