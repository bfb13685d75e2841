import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean } from '../diagnostic/did-you-mean.js';
import { statusOfNamed } from '../run-directory/named-file.js';

/** Resolved file of a module name, or the reason why there is none, as the end of a sentence. */
export type ResolvedModule =
  | { readonly kind: 'found'; readonly file: string }
  | { readonly kind: 'missing'; readonly why: string };

/**
 * Finds a plugin: `./file.mjs` and `/file.mjs` are files, anything else is a package, resolved as Node does
 * from the directory of the file that names it.
 */
export function resolveModule(specifier: string, baseDirectory: string): ResolvedModule {
  if (specifier.trim() === '') return missing('it has no name');
  if (specifier.startsWith('file:')) return checkFile(fileURLToPath(specifier));
  if (/^\.\.?(?:\/|$)/.test(specifier) || path.isAbsolute(specifier)) {
    return checkFile(path.resolve(baseDirectory, specifier));
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier)) {
    return missing('a plugin is a file or an installed package; an address cannot be loaded');
  }
  return resolvePackage(specifier, baseDirectory);
}

function checkFile(file: string): ResolvedModule {
  const stats = statusOfNamed(file);
  if (stats === undefined) return missing(`${file} does not exist${similarFile(file)}`);
  if (stats.isDirectory()) {
    return missing(`${file} is a directory; name the module in it, such as ${path.join(file, 'index.mjs')}`);
  }
  return checkLanguage(file);
}

function similarFile(file: string): string {
  try {
    return didYouMean(path.basename(file), readdirSync(path.dirname(file)));
  } catch {
    return '';
  }
}

/** Checks the extension: newer versions of Node load TypeScript by stripping its types. */
function checkLanguage(file: string): ResolvedModule {
  const extension = path.extname(file).toLowerCase();
  if (['.js', '.mjs', '.cjs'].includes(extension)) return { kind: 'found', file };
  if (['.ts', '.mts', '.cts'].includes(extension)) {
    const { typescript } = process.features as { readonly typescript?: unknown };
    return typescript
      ? { kind: 'found', file }
      : missing(
          `${file} is TypeScript, which Node ${process.versions.node} cannot load. Compile it and name the .js file, or use Node 24`,
        );
  }
  return missing(`${file} is not a JavaScript module (.js, .mjs or .cjs)`);
}

function resolvePackage(specifier: string, baseDirectory: string): ResolvedModule {
  const require = createRequire(path.join(baseDirectory, 'plugin.js'));
  try {
    const file = require.resolve(specifier);
    return path.isAbsolute(file)
      ? checkLanguage(file)
      : missing('it is a built-in module of Node, not a plugin');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
      return resolveExports(specifier, require.resolve.paths(specifier) ?? []);
    }
    if (code !== 'MODULE_NOT_FOUND') return missing(message);
    const isFile = existsSync(path.resolve(baseDirectory, specifier));
    return missing(
      isFile
        ? `no package of that name is installed; for the file write ./${specifier}`
        : `no package of that name is installed where ${baseDirectory} would find it`,
    );
  }
}

/** Resolves a package that exports for `import` only: `require.resolve` ignores that condition. */
function resolveExports(specifier: string, folders: readonly string[]): ResolvedModule {
  const [, name = specifier, rest = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? [];
  const home = folders
    .map((folder) => path.join(folder, name))
    .find((folder) => existsSync(path.join(folder, 'package.json')));
  if (home === undefined) return missing(`the package "${name}" cannot be found`);
  const { exports } = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as PackageFile;
  const target = targetOf(entryOf(exports, `.${rest}`));
  return target === undefined
    ? missing(`the package in ${home} does not export "${rest === '' ? '.' : `.${rest}`}"`)
    : checkFile(path.join(home, target));
}

interface PackageFile {
  readonly exports?: unknown;
}

function entryOf(exports: unknown, subpath: string): unknown {
  const hasSubpaths =
    typeof exports === 'object' &&
    exports !== null &&
    Object.keys(exports).some((key) => key.startsWith('.'));
  if (hasSubpaths) return new Map<string, unknown>(Object.entries(exports)).get(subpath);
  return subpath === '.' ? exports : undefined;
}

const conditions = ['node', 'import', 'module-sync', 'default'];

/** The first target whose conditions all hold, in the order in which the package has them. */
function targetOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (typeof entry !== 'object' || entry === null) return undefined;
  const choices: readonly unknown[] = Array.isArray(entry)
    ? entry
    : Object.entries(entry).flatMap(([condition, target]) =>
        conditions.includes(condition) ? [target] : [],
      );
  for (const choice of choices) {
    const target = targetOf(choice);
    if (target !== undefined) return target;
  }
  return undefined;
}

function missing(why: string): ResolvedModule {
  return { kind: 'missing', why };
}
