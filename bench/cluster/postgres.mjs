import { readFileSync } from 'node:fs';
import pg from 'pg';
import { startPostgres } from '../../scripts/postgres.mjs';
import { millisecondsOf, processorTime } from '../server/processor-time.mjs';

/**
 * The server of a measurement: the one that a URL names, or one of its own.
 * @param url of any database of it, for a role that may create others
 */
export async function openServer(url) {
  // What is recorded must be on the disk here, as it is elsewhere.
  const own = url === undefined ? await startPostgres({ parameters: { fsync: 'on' } }) : undefined;
  const base = url ?? own.url('postgres');
  const admin = new pg.Client({ connectionString: base });
  await admin.connect();
  const { rows } = await admin.query(
    `select pg_backend_pid() as pid, current_setting('server_version') as version`,
  );
  const [{ pid, version }] = rows;
  const postmaster = postmasterOf(pid);
  const made = [];
  return {
    version: `PostgreSQL ${version.split(' ')[0]}`,
    /** Milliseconds of processor time of all its processes so far; undefined if it is on another machine. */
    processorTime: () => (postmaster === undefined ? undefined : familyTime(postmaster)),
    /** @returns the URL of a new database, which ends with the measurement */
    async createDatabase(name) {
      await admin.query(`create database ${pg.escapeIdentifier(name)}`);
      made.push(name);
      const changed = new URL(base);
      changed.pathname = `/${name}`;
      return changed.href;
    },
    async close() {
      for (const name of made) await admin.query(`drop database ${pg.escapeIdentifier(name)} with (force)`);
      await admin.end();
      await own?.close();
    },
  };
}

/** @returns undefined if the process of this id is none of PostgreSQL: then that is on another machine */
function postmasterOf(backend) {
  try {
    const { name, parent } = statOf(backend);
    return name === 'postgres' ? parent : undefined;
  } catch {
    return undefined;
  }
}

/** Processor time of a process, of its children, and of those that have ended. */
function familyTime(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const ended = millisecondsOf(statOf(pid).ticksOfEndedChildren);
  return [pid, ...children].reduce((sum, each) => sum + timeOf(each), ended);
}

function timeOf(pid) {
  try {
    return processorTime(pid);
  } catch {
    // It has ended since.
    return 0;
  }
}

/** What `proc(5)` has about a process. */
function statOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [start, end] = [text.indexOf('('), text.lastIndexOf(')')];
  const fields = text.slice(end + 2).split(' ');
  return {
    name: text.slice(start + 1, end),
    parent: Number(fields[1]),
    ticksOfEndedChildren: Number(fields[13]) + Number(fields[14]),
  };
}
