import { type Stats, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../handlers/error-category.js';
import type { Log } from '../../telemetry/log.js';
import { type NamedToken, readNamedToken, tokenNames } from './named-tokens.js';

/** Shortest time between two notes that a token was used. */
const noteMs = 60_000;
/** Age from which a directory that looks unchanged is: two changes within a tick of its clock look like one. */
const settledMs = 1_000;

interface KnownToken {
  readonly token: NamedToken;
  readonly version: string;
}

/**
 * Named tokens for a server, which asks about each request. It remembers the files and looks each time whether they are still
 * there, so that a token that was added is taken and one that was revoked is refused from the next request on.
 */
export class NamedTokenLookup {
  readonly #directory: string;
  readonly #log: Log;
  /** Milliseconds of a clock that only goes forward. */
  readonly #now: () => number;
  readonly #known = new Map<string, KnownToken>();
  readonly #notedAt = new Map<string, number>();
  readonly #warnings = new Set<string>();
  #version: string | undefined;

  constructor(directory: string, { log, now }: { readonly log: Log; readonly now: () => number }) {
    this.#directory = directory;
    this.#log = log;
    this.#now = now;
  }

  /** Name of the token with this fingerprint. */
  find(fingerprint: string): string | undefined {
    const name = this.#nameOf(fingerprint);
    if (name !== undefined && this.has(name, fingerprint)) return name;
    return this.#reload() ? this.#nameOf(fingerprint) : undefined;
  }

  /** True while there is a token of this name with this fingerprint. */
  has(name: string, fingerprint: string): boolean {
    const status = this.#status(name);
    if (status === undefined) return false;
    const known = this.#known.get(name);
    const current = known?.version === versionOf(status) ? known : this.#read(name, status);
    return current?.token.fingerprint === fingerprint;
  }

  /** Notes in the file of a token that it was used, once a minute. */
  noteUse(name: string): void {
    const now = this.#now();
    if (now - (this.#notedAt.get(name) ?? Number.NEGATIVE_INFINITY) < noteMs) return;
    this.#notedAt.set(name, now);
    const date = new Date();
    try {
      utimesSync(path.join(this.#directory, name), date, date);
    } catch {
      // It was revoked just now, or its directory takes no changes; `attractor token list` knows no newer use then.
    }
  }

  #nameOf(fingerprint: string): string | undefined {
    for (const [name, { token }] of this.#known) if (token.fingerprint === fingerprint) return name;
    return undefined;
  }

  /** Reads the directory, unless nothing has changed there. @returns whether it was read */
  #reload(): boolean {
    const status = this.#status('.');
    const version = status && versionOf(status);
    if (version === this.#version) return false;
    const names = status === undefined ? [] : tokenNames(this.#directory);
    this.#known.clear();
    for (const name of names) {
      const found = this.#status(name);
      if (found !== undefined) this.#read(name, found);
    }
    const isSettled = status === undefined || Date.now() - status.mtimeMs > settledMs;
    // A file that could not be used may be mended, which its directory does not show.
    this.#version = isSettled && this.#known.size === names.length ? version : undefined;
    return true;
  }

  #read(name: string, status: Stats): KnownToken | undefined {
    this.#known.delete(name);
    try {
      const token = readNamedToken(this.#directory, name);
      if (token === undefined) return undefined;
      const known = { token, version: versionOf(status) };
      this.#known.set(name, known);
      return known;
    } catch (error) {
      this.#warn(`not accepted: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Says each thing once: strangers can make a server look again and again. */
  #warn(message: string): void {
    if (this.#warnings.has(message)) return;
    this.#warnings.add(message);
    this.#log.write('warning', message);
  }

  #status(name: string): Stats | undefined {
    try {
      return statSync(path.join(this.#directory, name), { throwIfNoEntry: false });
    } catch {
      // What cannot be looked at lets nobody in.
      return undefined;
    }
  }
}

function versionOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
