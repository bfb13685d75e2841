import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { spawnerCode } from './spawner-code.mjs';

/**
 * Bundles the library and the command line with all their dependencies: the published package has none at run time.
 * Dynamic imports become chunks of their own, so that the heavy parts load only when a command needs them.
 * Returns the text of each file by its path below dist/, and the ids of the modules that went in.
 */
export async function bundle(root) {
  const { rolldown } = await import('rolldown');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const build = await rolldown({
    cwd: root,
    input: { index: 'src/index.ts', cli: 'src/cli/main.ts' },
    platform: 'node',
    tsconfig: 'tsconfig.json',
    transform: {
      target: 'node20',
      define: {
        __ATTRACTOR_VERSION__: JSON.stringify(version),
        __ATTRACTOR_SPAWNER__: JSON.stringify(await spawnerCode(root)),
      },
    },
  });
  try {
    const { output } = await build.generate({
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      // Names stay readable: a stack trace is worth more to a user than the bytes.
      minify: false,
      comments: { legal: false },
    });
    return collect(output);
  } finally {
    await build.close();
  }
}

function collect(output) {
  const files = new Map();
  const moduleIds = new Set();
  for (const chunk of output) {
    if (chunk.type !== 'chunk')
      throw new Error(`unexpected asset ${chunk.fileName}: src/ should import code only`);
    files.set(chunk.fileName, chunk.code);
    for (const id of chunk.moduleIds) moduleIds.add(id);
  }
  for (const chunk of output) assertSelfContained(chunk, files);
  return { files, moduleIds };
}

function assertSelfContained(chunk, files) {
  for (const imported of [...chunk.imports, ...chunk.dynamicImports]) {
    if (files.has(imported) || isBuiltin(imported)) continue;
    throw new Error(
      `dist/${chunk.fileName} would import "${imported}" at run time, but the package has no runtime dependencies; ` +
        `install it as a development dependency so that it is bundled`,
    );
  }
}
