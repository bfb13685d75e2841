/**
 * Program that an agent starts as an MCP server: it joins its standard streams to a socket, on which this
 * process answers. It ends as soon as either side does, so that none is left over.
 */
export const relayCode = `'use strict';
const socket = require('node:net').connect(process.argv[2]);
socket.on('error', (error) => {
  process.stderr.write('attractor: the stage that wants the outcome has ended (' + error.message + ')\\n');
  process.exitCode = 1;
});
socket.on('close', () => process.exit());
process.stdin.on('error', () => socket.destroy());
process.stdout.on('error', () => socket.destroy());
process.stdin.pipe(socket).pipe(process.stdout);
`;
