import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where the program lies, below dist/: next to the chunk that reads it. */
export const graphvizWasmFile = 'chunks/graphviz.wasm';

const library = '@hpcc-js/wasm-graphviz';

/** How the library, which is minified, comes by its program: decoded and unpacked from a text, on the first call. */
const decoding = /(\w+)\?\?=\w+\(\w+\(\w+\)\)(?=,\w+\(\{wasmBinary:\1,)/g;

/**
 * A plugin of the bundler: Graphviz's program is a file of its own, because decoding it from the text in the library takes as
 * long as drawing a small pipeline.
 */
export function graphvizWasmApart() {
  return {
    name: 'graphviz-wasm-apart',
    transform(code, id) {
      if (!isOfLibrary(id)) return undefined;
      if (code.match(decoding)?.length !== 1) {
        throw new Error(`${library} loads its program in a way that scripts/graphviz-wasm.mjs does not know`);
      }
      const reading = "$1??=readGraphvizFile(new URL('./graphviz.wasm',import.meta.url))";
      return `import { readFileSync as readGraphvizFile } from 'node:fs';\n${code.replace(decoding, reading)}`;
    },
    generateBundle(_, output) {
      const holder = Object.values(output).find(({ moduleIds = [] }) => moduleIds.some(isOfLibrary));
      if (holder === undefined || holder.fileName.startsWith('chunks/')) return;
      throw new Error(`dist/${holder.fileName} would not find ${graphvizWasmFile} next to itself`);
    },
  };
}

function isOfLibrary(id) {
  return id.replaceAll('\\', '/').includes(`/${library}/dist/`);
}

/** The program as the library decodes it, caught where it hands it to the engine. */
export async function graphvizWasm(root) {
  const entry = createRequire(join(root, 'package.json')).resolve(library);
  const { Graphviz } = await import(pathToFileURL(entry));
  const { instantiate } = WebAssembly;
  let program;
  WebAssembly.instantiate = (bytes, imports) => {
    program = Buffer.from(bytes);
    return instantiate(bytes, imports);
  };
  try {
    await Graphviz.load();
  } finally {
    WebAssembly.instantiate = instantiate;
    Graphviz.unload();
  }
  if (program === undefined) throw new Error(`${library} was loaded without a program`);
  return program;
}
