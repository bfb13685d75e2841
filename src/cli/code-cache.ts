import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { makeDirectories } from '../handlers/make-directories.js';
import { mayBeUndecodable } from '../run-directory/undecodable-names.js';
import { version } from '../version.js';
import { exitCode } from './exit-code.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Keeps the compiled form of the code that the command line loads from now on, so that the next process need not compile
 * it again: compiling takes longer than checking a small pipeline. Node has this built in from version 22 on; in earlier versions,
 * its `vm` module has the parts. Code whose cache cannot be read or written is compiled as usual. `NODE_DISABLE_COMPILE_CACHE` turns it off.
 * @param command each calls other functions, and one that changes how V8 compiles can use nothing of another
 */
export function keepCompiledCode(
  command: string | undefined,
  env: Environment,
  platform: NodeJS.Platform,
): void {
  const folder = cacheFolder(env, platform);
  if (folder === undefined || env.NODE_DISABLE_COMPILE_CACHE) return;
  const own = path.join(folder, /^[a-z]+$/.exec(command ?? '')?.[0] ?? 'other');
  const { enableCompileCache } = compileCacheOfNode();
  if (enableCompileCache === undefined) new CodeCache(own).install();
  else enableCompileCache(own);
}

const load = createRequire(import.meta.url);

/** Loads Node's `module`, and with it the loader of ES modules, only where it has a cache. */
function compileCacheOfNode(): { enableCompileCache?: (folder: string) => unknown } {
  return Number.parseInt(process.versions.node, 10) >= 22 ? load('node:module') : {};
}

/** Folder in the system's cache folder of this user; undefined if there is none. */
export function cacheFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  const { HOME = '', XDG_CACHE_HOME = '', LOCALAPPDATA = '' } = env;
  const inHome = path.join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache');
  const candidates = platform === 'win32' ? [LOCALAPPDATA] : [XDG_CACHE_HOME, inHome];
  const caches = candidates.find((folder) => path.isAbsolute(folder) && !mayBeUndecodable(folder));
  if (caches === undefined) return undefined;
  // V8 keeps the paths of files in what it compiles, and refuses what was compiled with other options.
  const place = [chunks, env.NODE_OPTIONS, ...process.execArgv].join('\0');
  const name = [
    version,
    process.version,
    process.arch,
    digestOf(Int32Array.from(Buffer.from(place)), 1),
  ].join('-');
  return path.join(caches, 'attractor', 'code', name);
}

/** The part of a CommonJS module that its loader fills in. */
interface Loaded {
  exports: unknown;
  require(id: string): unknown;
}

/** A script that the cache did not have. */
interface Fresh {
  readonly script: Script;
  readonly file: string;
  readonly mark: Buffer;
}

/** Around the text of a CommonJS module, as in `module.wrap`. */
const opening = Buffer.from('(function (exports, require, module, __filename, __dirname) { ');
const closing = Buffer.from('\n});');

class CodeCache {
  readonly #folder: string;
  readonly #fresh: Fresh[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  install(): void {
    const { extensions } = load;
    const others = extensions['.cjs'] ?? extensions['.js'];
    const loadFile = (loaded: NodeJS.Module, file: string): void => {
      if (!file.startsWith(chunks) || !this.#load(loaded, file)) others(loaded, file);
    };
    // Not enumerable: it defines how to load a file, not that `require('./file')` means `file.cjs`.
    Object.defineProperty(extensions, '.cjs', { value: loadFile, configurable: true, writable: true });
    // What came to no good end has compiled little of what a command needs.
    process.on('exit', (status) => status === exitCode.ok && this.#save());
  }

  /** @returns false for a chunk whose compiled form cannot be kept, which is not loaded */
  #load(loaded: Loaded, file: string): boolean {
    // The name of a chunk has its hash; the rest is for people who change one by hand.
    const { bytes, size, mtimeMs } = readFile(file, opening, closing);
    const mark = Buffer.from(`${path.basename(file)} ${size} ${mtimeMs}`);
    const cache = path.join(this.#folder, `${path.basename(file).replace(/-.{8}\.cjs$/, '')}.bin`);
    const cachedData = readSealed(cache, mark);
    // Cached code does not know whose `import()` it was.
    if (cachedData === undefined && bytes.includes('import(')) return false;
    // A chunk is in ASCII, which is read fastest as Latin-1; V8 would copy a text that was joined from strings.
    const script = new Script(bytes.toString('latin1'), {
      filename: file,
      cachedData,
    });
    if (cachedData === undefined || script.cachedDataRejected)
      this.#fresh.push({ script, file: cache, mark });
    const require = (id: string): unknown => loaded.require(id);
    script.runInThisContext().call(loaded.exports, loaded.exports, require, loaded, file, path.dirname(file));
    return true;
  }

  /** At the end, when the functions that a command needs have been compiled too. */
  #save(): void {
    if (this.#fresh.length === 0) return;
    try {
      makeDirectories(this.#folder, 0o700);
      removeOld(path.join(this.#folder, '../..'));
      for (const { script, file, mark } of this.#fresh) write(file, sealed(script.createCachedData(), mark));
    } catch {
      // The next process compiles again.
    }
  }
}

/**
 * Removes the cache of other versions and other installations, and files that were cut off while they were
 * written.
 */
function removeOld(code: string): void {
  const before = Date.now() - keptDays * 24 * 60 * 60 * 1000;
  for (const name of readdirSync(code, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(code, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() && found.mtimeMs < before) rmSync(file, { force: true });
  }
}

const keptDays = 30;
const chunks = path.join(path.dirname(fileURLToPath(import.meta.url)), 'chunks', path.sep);

/** Interval of words that go into the digest: damage affects whole sectors of a file, of 128 words. */
const digestStep = 64;
const digestBytes = 4;

/**
 * Digest of the words of an array: reading them from the buffer would add a millisecond to each start of
 * the command line.
 */
function digestOf(words: Int32Array, step: number): number {
  let digest = 0;
  for (let at = 0; at < words.length; at += step) digest = (Math.imul(digest, 31) + (words[at] ?? 0)) | 0;
  return digest >>> 0;
}

function wordsOf(data: Buffer): Int32Array {
  return new Int32Array(data.buffer, data.byteOffset, data.length >> 2);
}

/** Compiled code with what it is checked by: V8 itself would execute what is damaged. */
function sealed(data: Buffer, mark: Buffer): Buffer {
  const digest = Buffer.alloc(digestBytes);
  digest.writeUInt32LE(digestOf(wordsOf(data), digestStep));
  return Buffer.concat([data, digest, mark]);
}

/** @returns undefined for what is damaged, of another chunk, or from another user; V8 refuses what another version of it has compiled */
function readSealed(file: string, mark: Buffer): Buffer | undefined {
  try {
    const { bytes: written, uid } = readFile(file);
    if (process.getuid !== undefined && uid !== process.getuid()) return undefined;
    const end = written.length - mark.length - digestBytes;
    if (end <= 0 || !written.subarray(end + digestBytes).equals(mark)) return undefined;
    const data = written.subarray(0, end);
    return written.readUInt32LE(end) === digestOf(wordsOf(data), digestStep) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a whole file, with room around its content: to copy a chunk takes as long as to read it. */
function readFile(
  file: string,
  before: Buffer = nothing,
  after: Buffer = nothing,
): Pick<Stats, 'size' | 'mtimeMs' | 'uid'> & { readonly bytes: Buffer } {
  // Not blocking: a pipe that somebody has left in the place of a file would be waited for.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size, mtimeMs, uid } = fstatSync(descriptor);
    const bytes = Buffer.allocUnsafeSlow(before.length + size + after.length);
    before.copy(bytes);
    const end = before.length + size;
    let at = before.length;
    for (let read = -1; at < end && read !== 0; at += read)
      read = readSync(descriptor, bytes, at, end - at, null);
    if (at < end) throw new Error(`${file} has become shorter while it was read`);
    after.copy(bytes, end);
    return { bytes, size, mtimeMs, uid };
  } finally {
    closeSync(descriptor);
  }
}

const nothing = Buffer.alloc(0);

/** Whole or not at all, even if the power fails. */
function write(file: string, content: Buffer): void {
  const temporary = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
