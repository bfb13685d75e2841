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
server.registerTool('die', { description: 'Ends.', inputSchema: {} }, () => {
  process.stderr.write('out of order');
  process.exit(3);
});
// As programs are that do not want to end, and that have started others.
if (process.argv.includes('stubborn')) {
  const { spawn } = await import('node:child_process');
  appendFileSync(process.argv[2], `${spawn('sleep', ['600'], { stdio: 'inherit' }).pid}\n`);
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
if (process.argv.includes('mute')) {
  // Without anything to wait for, the process would end.
  setInterval(() => undefined, 1000);
  await new Promise(() => undefined);
}
await server.connect(new StdioServerTransport());
