import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the page. */
export interface WebFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** The page as it was built: by name, so that no request is ever made into a path. */
export interface WebFiles {
  readonly index: WebFile | undefined;
  readonly assets: ReadonlyMap<string, WebFile>;
}

const types: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.json', 'application/json; charset=utf-8'],
  ['.wasm', 'application/wasm'],
]);

/** Reads the page from `dist/web`; it is small, and stays in memory. */
export function readWebFiles(): WebFiles {
  const directory = webDirectory();
  const assets = filesIn(path.join(directory, 'assets'));
  return { index: filesIn(directory).get('index.html'), assets };
}

function filesIn(directory: string): ReadonlyMap<string, WebFile> {
  return new Map(
    namesIn(directory).flatMap((name) => {
      const type = types.get(path.extname(name));
      return type === undefined ? [] : [[name, { bytes: bytesOf(path.join(directory, name)), type }]];
    }),
  );
}

/** The page may not have been built, as in tests of the sources; the server says so where it is asked for. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function bytesOf(file: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(file));
}

/** Next to the chunks of the package; for the sources where the build writes it. */
function webDirectory(): string {
  const relative = import.meta.url.endsWith('.ts') ? '../../dist/web' : '../web';
  return fileURLToPath(new URL(relative, import.meta.url));
}
