import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithMe, hasEnded, removeWithMe } from './leftovers.mjs';
import { startPostgres } from './postgres.mjs';

/**
 * `npm run demo:cluster`: a cluster on this machine, from nothing to a worker that takes over from one that was killed. The database
 * server comes from the devDependencies. Nothing of it stays, even if the demonstration is interrupted.
 */
const program = fileURLToPath(new URL('../bin/attractor.js', import.meta.url));

const pipeline = `digraph release {
  start [shape=Mdiamond]
  build [shape=parallelogram, tool_command="sleep 4; echo built"]
  check [shape=parallelogram, tool_command="sleep 4; echo checked"]
  ship [shape=parallelogram, tool_command="sleep 4; echo shipped"]
  exit [shape=Msquare]
  start -> build -> check -> ship -> exit
}
`;

const directory = mkdtempSync(path.join(tmpdir(), 'attractor-demo-'));
removeWithMe(directory);
writeFileSync(path.join(directory, 'release.dot'), pipeline);

say('A PostgreSQL server starts, with an empty database.');
const server = await startPostgres();
const environment = { ...process.env, ATTRACTOR_DATABASE_URL: await server.createDatabase('demo') };

try {
  await demonstrate();
} finally {
  await server.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 25 });
}
say('Everything is stopped, and removed.');

async function demonstrate() {
  await show('cluster', 'migrate');

  say('Two workers start. On two machines it would be the same.');
  const workers = [startWorker('first'), startWorker('second')];
  await Promise.all(workers.map(({ isReady }) => isReady));

  say('Six runs are submitted, each by:');
  await Promise.all([show('run', 'release.dot', '--detach'), ...Array.from({ length: 5 }, submit)]);
  await until(async () => (await listed('workers')).every(({ runs }) => runs > 0));
  await show('cluster', 'workers');

  say('The first worker is killed, and says nothing to anybody.');
  const [first, second] = workers;
  first.kill('SIGKILL');
  await first.ended;

  say('Within seconds the second one finds that it gives no sign of life, and continues its runs.');
  await until(async () => (await listed('status')).every(({ status }) => status === 'success'));
  await show('cluster', 'status');

  say('The second worker is asked to leave.');
  second.kill('SIGTERM');
  await second.ended;
}

/** Starts a worker, whose lines are shown with its name. */
function startWorker(name) {
  const child = start(['worker', '--home', 'runs', '--runs', '4']);
  let become;
  const isReady = new Promise((resolve) => {
    become = resolve;
  });
  child.stderr.on('data', (chunk) => {
    for (const line of String(chunk).trimEnd().split('\n'))
      print(`  ${name}: ${line.slice(line.indexOf(' ') + 1)}`);
    if (String(chunk).includes('is ready for')) become();
  });
  return { isReady, ended: ending(child), kill: (signal) => child.kill(signal) };
}

function submit() {
  return outputOf('run', 'release.dot', '--detach');
}

/** @returns the rows of a table of the cluster */
async function listed(table) {
  const [rows] = Object.values(JSON.parse(await outputOf('cluster', table, '--json')));
  return rows;
}

async function until(isSo) {
  while (!(await isSo())) await sleep(200);
}

/** Shows a command, and what it prints. */
async function show(...args) {
  print(`\n$ attractor ${args.join(' ')}`);
  print((await outputOf(...args)).trimEnd());
}

async function outputOf(...args) {
  const child = start(args);
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  const status = await ending(child);
  const output = Buffer.concat(chunks).toString('utf8');
  if (status !== 0) throw new Error(`attractor ${args.join(' ')} failed:\n${output}`);
  return output;
}

function start(args) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) endWithMe(child.pid, 'SIGKILL');
  return child;
}

function ending(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      hasEnded(child.pid);
      resolve(status);
    });
  });
}

function say(text) {
  print(`\n# ${text}`);
}

function print(text) {
  process.stdout.write(`${text}\n`);
}
