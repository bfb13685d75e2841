import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import module, { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { version } from '../version.js';
import { exitCode } from './exit-code.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Keeps the compiled form of the code that the command line loads from now on, so that the next process need not compile
 * it again: compiling takes longer than checking a small pipeline. Node has that built in from version 22 on; before, its
 * `vm` module has the parts. What cannot be read or written is compiled as ever. `NODE_DISABLE_COMPILE_CACHE` turns it off.
 * @param command each calls other functions, and one that changes how V8 compiles can use nothing of another
 */
export function keepCompiledCode(
  command: string | undefined,
  env: Environment,
  platform: NodeJS.Platform,
): void {
  const folder = cacheFolder(env, platform);
  if (folder === undefined || env.NODE_DISABLE_COMPILE_CACHE) return;
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (enableCompileCache !== undefined) enableCompileCache(folder);
  else new CodeCache(path.join(folder, /^[a-z]+$/.exec(command ?? '')?.[0] ?? '')).install();
}

/** Below the folder that the system keeps for such files of this user; undefined where there is none. */
export function cacheFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  const { HOME = '', XDG_CACHE_HOME = '', LOCALAPPDATA = '' } = env;
  const inHome = path.join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache');
  const candidates = platform === 'win32' ? [LOCALAPPDATA] : [XDG_CACHE_HOME, inHome];
  const caches = candidates.find((folder) => path.isAbsolute(folder));
  if (caches === undefined) return undefined;
  return path.join(caches, 'attractor', 'code', `${version}-${process.version}-${process.arch}`);
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

class CodeCache {
  readonly #folder: string;
  readonly #fresh: Fresh[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  install(): void {
    const { extensions } = createRequire(import.meta.url);
    const others = extensions['.js'];
    const load = (loaded: NodeJS.Module, file: string): void => {
      const source = file.startsWith(chunks) ? readFileSync(file, 'utf8') : undefined;
      // What is kept does not tell whose `import()` it was.
      if (source === undefined || source.includes('import(')) others(loaded, file);
      else this.#load(loaded, file, source);
    };
    // Not to be enumerated: it says how to load a file, not that `require('./file')` means `file.cjs`.
    Object.defineProperty(extensions, '.cjs', { value: load, configurable: true });
    // What is no command has compiled nothing that a command needs.
    process.on('exit', (status) => status !== exitCode.usage && this.#save());
  }

  #load(loaded: Loaded, file: string, source: string): void {
    // The name of a chunk has its hash; the rest is for people who change one by hand.
    const { size, mtimeMs } = statSync(file);
    const mark = Buffer.from(`${path.basename(file)} ${size} ${mtimeMs}`);
    const cache = path.join(this.#folder, `${path.basename(file).replace(/-.{8}\.cjs$/, '')}.bin`);
    const cachedData = readMarked(cache, mark);
    const script = new Script(module.wrap(source), {
      filename: file,
      ...(cachedData !== undefined && { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected)
      this.#fresh.push({ script, file: cache, mark });
    const require = (id: string): unknown => loaded.require(id);
    script.runInThisContext().call(loaded.exports, loaded.exports, require, loaded, file, path.dirname(file));
  }

  /** At the end, when the functions that a command needs have been compiled too. */
  #save(): void {
    try {
      if (this.#fresh.length > 0) mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      for (const { script, file, mark } of this.#fresh)
        write(file, Buffer.concat([script.createCachedData(), mark]));
    } catch {
      // The next process compiles again.
    }
  }
}

const chunks = path.join(path.dirname(fileURLToPath(import.meta.url)), 'chunks', path.sep);

/**
 * What was written before a mark, by the user whose process this is; V8 itself refuses what another version of it, or one with
 * other flags, has compiled.
 */
function readMarked(file: string, mark: Buffer): Buffer | undefined {
  try {
    if (process.getuid !== undefined && statSync(file).uid !== process.getuid()) return undefined;
    const written = readFileSync(file);
    const end = written.length - mark.length;
    return end > 0 && written.subarray(end).equals(mark) ? written.subarray(0, end) : undefined;
  } catch {
    return undefined;
  }
}

/** Whole or not at all, even if the power fails: V8 would execute what is damaged. */
function write(file: string, content: Buffer): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const descriptor = openSync(temporary, 'w', 0o600);
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
