import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { graphvizWasm, graphvizWasmApart, graphvizWasmFile } from './graphviz-wasm.mjs';
import {
  lateRegularExpressions,
  regularExpressions,
  regularExpressionsFile,
} from './late-regular-expressions.mjs';
import { parserDecisions } from './parser-decisions.mjs';
import { ruleExamples } from './rule-examples.mjs';
import { spawnerCode } from './spawner-code.mjs';
import { startUpChunks } from './start-up-chunks.mjs';

/** Code for one kind of machine cannot go into a bundle: these are the dependencies of the package, loaded where needed. */
const nativePackages = new Set(['@resvg/resvg-js']);

/**
 * Bundles the library, the part of it that needs no Node, and the command line with all their dependencies: the published package
 * needs none at run time but for what is native code.
 * Dynamic imports become chunks of their own, so that the heavy parts load only when a command needs them.
 * Returns the content of each file by its path below dist/, and the ids of the modules that went in.
 */
export async function bundle(root) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const define = {
    __ATTRACTOR_VERSION__: JSON.stringify(version),
    __ATTRACTOR_DECISIONS__: JSON.stringify(await parserDecisions(root)),
  };
  const { plugin: findStartUpChunks, groups } = startUpChunks(root);
  const node = await generate(
    {
      cwd: root,
      input: { index: 'src/index.ts', cli: 'src/cli/main.ts' },
      // As the groups below require it.
      preserveEntrySignatures: 'allow-extension',
      platform: 'node',
      tsconfig: 'tsconfig.json',
      transform: {
        target: 'node20',
        define: {
          ...define,
          __ATTRACTOR_SPAWNER__: JSON.stringify(await spawnerCode(root)),
          __ATTRACTOR_EXAMPLES__: JSON.stringify(ruleExamples(root)),
        },
      },
      plugins: [lateRegularExpressions(), graphvizWasmApart(), findStartUpChunks],
    },
    (id) => isBuiltin(id) || nativePackages.has(id),
    { groups, includeDependenciesRecursively: false },
  );
  const late = await regularExpressions(root);
  const core = await bundleCore(root, define);
  return {
    files: new Map([
      ...node.files,
      ...core.files,
      [regularExpressionsFile, late.code],
      [graphvizWasmFile, await graphvizWasm(root)],
    ]),
    moduleIds: new Set([...node.moduleIds, ...core.moduleIds, ...late.moduleIds]),
  };
}

/** `dist/core.js`: one file that imports nothing at all, so that it loads wherever there is JavaScript. */
function bundleCore(root, define) {
  return generate(
    {
      cwd: root,
      input: { core: 'src/core.ts' },
      platform: 'browser',
      tsconfig: 'tsconfig.json',
      transform: { target: 'es2022', define },
    },
    () => false,
  );
}

async function generate(options, mayImport, codeSplitting) {
  const { rolldown } = await import('rolldown');
  // What cannot be bundled is said below, by name.
  const bundled = await rolldown({
    ...options,
    external: (id) => isBuiltin(id) || nativePackages.has(id),
    // Which commands load a module late is up to each of them, and which chunk it goes into to the groups.
    checks: { ineffectiveDynamicImport: false },
  });
  try {
    const { output } = await bundled.generate({
      format: 'esm',
      ...(codeSplitting && { codeSplitting }),
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      // Names stay readable: a stack trace is worth more to a user than the bytes.
      minify: false,
      comments: { legal: false },
    });
    return collect(output, mayImport);
  } finally {
    await bundled.close();
  }
}

function collect(output, mayImport) {
  const files = new Map();
  const moduleIds = new Set();
  for (const chunk of output) {
    if (chunk.type !== 'chunk')
      throw new Error(`unexpected asset ${chunk.fileName}: src/ should import code only`);
    files.set(chunk.fileName, chunk.code);
    for (const id of chunk.moduleIds) moduleIds.add(id);
  }
  for (const chunk of output) assertSelfContained(chunk, files, mayImport);
  return { files, moduleIds };
}

function assertSelfContained(chunk, files, mayImport) {
  for (const imported of [...chunk.imports, ...chunk.dynamicImports]) {
    if (files.has(imported) || mayImport(imported)) continue;
    if (isBuiltin(imported)) {
      throw new Error(
        `dist/${chunk.fileName} would import "${imported}", which only Node has: see src/core.ts`,
      );
    }
    throw new Error(
      `dist/${chunk.fileName} would import "${imported}" at run time, which is no dependency of the package; ` +
        `install it as a development dependency so that it is bundled`,
    );
  }
}
