// Builds the published package: bundles (library, command line, page) with every dependency inside, the licences of
// those dependencies, and the type declarations.
//
//   node scripts/build.mjs [--bundle-only] [--force]
//
// Work whose inputs have not changed since the last build is skipped, so that this may run before every test.

import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { fingerprintInputs, readStamp, writeStamp } from './build-stamp.mjs';
import { bundle } from './bundle.mjs';
import { fontFiles } from './font-files.mjs';
import { llmsFull } from './llms-full.mjs';
import { replaceFiles } from './replace-files.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const declarationsEntry = 'types/index.d.ts';
const commonJsTypes = 'types-commonjs';
const llmsFullFile = 'llms-full.txt';

const { values: options } = parseArgs({
  options: {
    'bundle-only': { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
  },
});

try {
  process.exitCode = await build();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`build: ${process.stderr.isTTY ? message : stripVTControlCharacters(message)}\n`);
  process.exitCode = 1;
}

async function build() {
  if (!developmentDependenciesInstalled()) return explainMissingDependencies();
  const inputs = fingerprintInputs(root);
  const stamp = options.force ? {} : readStamp(dist);
  if (stamp.bundle !== inputs) await buildBundle(inputs, stamp);
  // Pages change more often than code: they are not among its inputs.
  writeFileSync(join(dist, llmsFullFile), llmsFull(root));
  if (options['bundle-only'] || stamp.declarations === inputs) return 0;
  return buildDeclarations(inputs);
}

async function buildBundle(inputs, stamp) {
  const started = performance.now();
  const { files, moduleIds } = await bundle(root);
  for (const [path, content] of fontFiles(root)) files.set(path, content);
  files.set('THIRD-PARTY-LICENSES.txt', thirdPartyLicenses(root, moduleIds));
  replaceFiles(dist, files, { keep: ['types', commonJsTypes, llmsFullFile] });
  // The declarations on disk are those of an earlier source from here on: their stamp stays what it was.
  writeStamp(dist, { bundle: inputs, declarations: stamp.declarations, files: [...files.keys()] });
  const bytes = [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  report(`dist/: ${files.size} files, ${(bytes / 1024).toFixed(0)} KiB`, started);
}

function buildDeclarations(inputs) {
  const started = performance.now();
  rmSync(join(dist, 'types'), { recursive: true, force: true });
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const { status, error } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error('the declarations could not be written: see the errors above');
  writeCommonJsTypes();
  const { files = [], ...stamp } = readStamp(dist);
  writeStamp(dist, {
    ...stamp,
    declarations: inputs,
    files: [...new Set([...files, declarationsEntry, `${commonJsTypes}/index.d.ts`])],
  });
  report('dist/types/', started);
  return 0;
}

/** The same declarations as those of CommonJS, because TypeScript goes by the type of the nearest package.json. */
function writeCommonJsTypes() {
  const directory = join(dist, commonJsTypes);
  rmSync(directory, { recursive: true, force: true });
  cpSync(join(dist, 'types'), directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "type": "commonjs" }\n');
}

// `npm ci --omit=dev` runs the prepare script too, without what it needs.
function developmentDependenciesInstalled() {
  try {
    createRequire(import.meta.url).resolve('rolldown/package.json');
    return true;
  } catch {
    return false;
  }
}

function explainMissingDependencies() {
  const asPrepare = process.env.npm_lifecycle_event === 'prepare';
  process.stderr.write(
    'build: the development dependencies are not installed, so nothing was built; run `npm ci`\n',
  );
  return asPrepare ? 0 : 1;
}

function report(what, started) {
  process.stderr.write(`build: ${what} in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}
