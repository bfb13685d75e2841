// Time from a key to the findings of an editor, next to a bare compile in the same process of the server, and the start of the server.
//
//   node bench/lsp.mjs [--nodes 1000] [--keys 40]

import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { compile } from '../dist/core.js';
import { realisticPipeline } from './language/generate.mjs';

const { values: options } = parseArgs({
  options: { nodes: { type: 'string', default: '1000' }, keys: { type: 'string', default: '40' } },
});
const keys = Number(options.keys);
const text = realisticPipeline(Number(options.nodes));
const attractor = join(import.meta.dirname, '../bin/attractor.js');
const uri = 'file:///bench/pipeline.dot';

const rows = [];
await typing();
await starting();
for (const [name, value, limit] of rows) {
  const verdict = limit === undefined ? '' : value <= limit ? `  (at most ${limit})` : `  MORE THAN ${limit}`;
  console.log(`${name.padEnd(64)} ${value.toFixed(1).padStart(8)}${verdict}`);
}
process.exitCode = rows.some(([, value, limit]) => limit !== undefined && value > limit) ? 1 : 0;

function start() {
  const server = spawn(process.execPath, [attractor, 'lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  connection.listen();
  const initialized = connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: null,
    capabilities: {},
  });
  return { server, connection, initialized };
}

/** Types into the middle of a pipeline; a key is answered when findings for its version arrive. */
async function typing() {
  const { server, connection, initialized } = start();
  await initialized;
  await connection.sendNotification('initialized', {});
  let onFindings = () => undefined;
  connection.onNotification('textDocument/publishDiagnostics', (found) => onFindings(found));
  const findings = (version) =>
    new Promise((resolve) => {
      onFindings = (found) => {
        if (found.version === version) resolve();
      };
    });
  const first = findings(1);
  await connection.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'dot', version: 1, text },
  });
  await first;
  const line = text.split('\n').findIndex((one) => one.includes('w40_3 ['));
  const times = [];
  const bare = [];
  for (let key = 0; key < keys; key += 1) {
    const version = key + 2;
    const answered = findings(version);
    const began = performance.now();
    await connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ range: { start: { line, character: 0 }, end: { line, character: 0 } }, text: ' ' }],
    });
    await answered;
    times.push(performance.now() - began);
    const compiled = performance.now();
    compile(text, { name: uri });
    bare.push(performance.now() - compiled);
  }
  const warm = (all) => all.slice(Math.floor(all.length / 2)).sort((one, other) => one - other);
  const [median, worst] = [(all) => warm(all)[Math.floor(warm(all).length / 2)], (all) => warm(all).at(-1)];
  rows.push(
    [`${options.nodes} nodes: key to findings, median, ms`, median(times), 50],
    [`${options.nodes} nodes: key to findings, the slowest of the warm half, ms`, worst(times)],
    [`${options.nodes} nodes: a bare compile with every rule, median, ms`, median(bare)],
    ['key to findings ÷ bare compile', median(times) / median(bare)],
  );
  await connection.sendRequest('shutdown');
  await connection.sendNotification('exit');
  await new Promise((resolve) => server.once('exit', resolve));
  connection.dispose();
}

/** The best of several starts, next to Node alone. */
async function starting() {
  let best = Number.POSITIVE_INFINITY;
  let node = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10; round += 1) {
    const plain = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    node = Math.min(node, performance.now() - plain);
    const began = performance.now();
    const { server, connection, initialized } = start();
    await initialized;
    best = Math.min(best, performance.now() - began);
    connection.dispose();
    server.kill();
    await new Promise((resolve) => server.once('exit', resolve));
  }
  rows.push(['start to the answer of initialize ÷ node -e 0', best / node, 3]);
}
