import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { bundleWeb } from './bundle-web.mjs';
import { graphvizWasm, graphvizWasmApart, graphvizWasmFile } from './graphviz-wasm.mjs';
import { lateBuiltIns } from './late-built-ins.mjs';
import {
  lateRegularExpressions,
  regularExpressions,
  regularExpressionsFile,
} from './late-regular-expressions.mjs';
import { openTelemetryModules } from './open-telemetry-modules.mjs';
import { parserDecisions } from './parser-decisions.mjs';
import { ruleExamples } from './rule-examples.mjs';
import { spawnerCode } from './spawner-code.mjs';
import { startUpChunks, startUpGroups } from './start-up-chunks.mjs';

/**
 * Packages that stay outside: code for one kind of machine cannot go into a bundle, and those of a cluster are installed where there is
 * one. They are loaded where needed.
 */
const outsidePackages = ['@resvg/resvg-js', '@dbos-inc/dbos-sdk', 'pg'];

function isOutside(id) {
  return outsidePackages.some((name) => id === name || id.startsWith(`${name}/`));
}

/**
 * Bundles the library, the part of it that needs no Node, the command line and the page with all their dependencies: the published
 * package needs none at run time but for what is native code.
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
      plugins: [
        lateBuiltIns(),
        lateRegularExpressions(),
        graphvizWasmApart(),
        openTelemetryModules(),
        findStartUpChunks,
        requireBuiltIns(),
      ],
    },
    (id) => isBuiltin(id) || isOutside(id),
    {
      // Without Node's loader of ES modules the command line starts sooner, and compiled code can be kept (src/cli/code-cache.ts).
      format: 'cjs',
      extension: 'cjs',
      codeSplitting: { groups, includeDependenciesRecursively: false },
    },
  );
  const late = await regularExpressions(root);
  const core = await bundleCore(root, define, { format: 'esm', extension: 'js' });
  const commonJsCore = await bundleCore(root, define, { format: 'cjs', extension: 'cjs' });
  const web = await bundleWeb(root, define);
  return {
    files: new Map([
      ...node.files,
      ['index.js', moduleOf('./index.cjs', node.exported.get('index.cjs'))],
      ...core.files,
      ...commonJsCore.files,
      ...web.files,
      [regularExpressionsFile, late.code],
      [graphvizWasmFile, await graphvizWasm(root)],
    ]),
    moduleIds: new Set([...node.moduleIds, ...core.moduleIds, ...web.moduleIds, ...late.moduleIds]),
  };
}

/** What an `import` of the package finds: the same modules as the command line has, which its plugins share. */
function moduleOf(commonJs, names) {
  return `export {\n${names.map((name) => `  ${name},\n`).join('')}} from '${commonJs}';\n`;
}

/** `dist/core.js`, and `dist/core.cjs` for `require`: one file that imports nothing at all, so that it loads wherever there is JavaScript. */
function bundleCore(root, define, output) {
  return generate(
    {
      cwd: root,
      input: { core: 'src/core.ts' },
      platform: 'browser',
      tsconfig: 'tsconfig.json',
      transform: { target: 'es2022', define },
    },
    () => false,
    output,
  );
}

/**
 * A plugin of the bundler, for CommonJS: what Node has built in needs no `import()`, with which the compiled form of a chunk could
 * not be kept.
 */
function requireBuiltIns() {
  return {
    name: 'require-built-ins',
    renderChunk: (code) =>
      defaultsOfBuiltIns(ownPlace(code)).replace(
        /\bimport\(("node:[\w/]+")\)/g,
        'Promise.resolve().then(() => require($1))',
      ),
  };
}

/**
 * A CommonJS module knows its file and has a `require`: to make them of its URL loads Node's loader of ES modules, and takes 2 % of the
 * time of a short command.
 */
function ownPlace(code) {
  const url = 'require("url").pathToFileURL(__filename).href';
  const own = code
    .replaceAll(`(0, node_module.createRequire)(${url})`, 'require')
    .replaceAll(`(0, node_url.fileURLToPath)(${url})`, '__filename');
  return withoutUnused('node_url', withoutUnused('node_module', own));
}

function withoutUnused(name, code) {
  const rest = code.replace(`let ${name} = require("${name.replace('_', ':')}");\n`, '');
  return new RegExp(`\\b${name}\\b`).test(rest) ? code : rest;
}

/** The bundler copies all names of what Node has built in, where mostly its default export alone is used. */
function defaultsOfBuiltIns(code) {
  return code.replace(
    /^(let (\w+) = require\("node:[\w/]+"\);\n)\2 = \w+\.__toESM\(\2(?:, 1)?\);$/gm,
    (both, required, name) =>
      new RegExp(`\\b${name}\\.(?!default\\b)`).test(code)
        ? both
        : `${required}${name} = { default: ${name} };`,
  );
}

async function generate(options, mayImport, { extension, ...output }) {
  const { rolldown } = await import('rolldown');
  // Packages that cannot be bundled are listed below.
  const bundled = await rolldown({
    ...options,
    external: (id) => isBuiltin(id) || isOutside(id),
    // Which commands load a module late is up to each of them, and which chunk it goes into to the groups.
    checks: { ineffectiveDynamicImport: false },
  });
  try {
    const generated = await bundled.generate({
      ...output,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: (chunk) => `chunks/${chunkName(chunk)}-[hash].${extension}`,
      // Names stay readable: a stack trace is worth more to a user than the bytes.
      minify: false,
      comments: false,
    });
    return collect(generated.output, mayImport);
  } finally {
    await bundled.close();
  }
}

/** One that no other chunk has: libraries call half of their files `index` and `dist`, and may have several entries. */
function chunkName({ name, moduleIds }) {
  const [, library, file] =
    /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.+)\.\w+$/.exec(moduleIds.at(-1) ?? '') ?? [];
  if (library === undefined) return name;
  const parts = file.split('/').filter((part) => !/^(dist|lib|esm|src|index)$/.test(part));
  return [library.replace(/^@/, '').replace('/', '-'), ...parts].join('-');
}

function collect(output, mayImport) {
  const files = new Map();
  const moduleIds = new Set();
  const exported = new Map(output.map(({ fileName, exports }) => [fileName, exports]));
  for (const chunk of output) {
    if (chunk.type !== 'chunk')
      throw new Error(`unexpected asset ${chunk.fileName}: src/ should import code only`);
    files.set(chunk.fileName, inAscii(chunk.code));
    for (const id of chunk.moduleIds) moduleIds.add(id);
  }
  assertOwnNames([...files.keys()]);
  for (const chunk of output) assertSelfContained(chunk, files, mayImport);
  for (const { name, fileName, code } of output) if (startUpGroups.includes(name)) assertKept(fileName, code);
  return { files, moduleIds, exported };
}

/** The compiled form of a chunk with an `import()` is not kept (src/cli/code-cache.ts): every command would start later. */
function assertKept(path, code) {
  const at = code.indexOf('import(');
  if (at >= 0)
    throw new Error(`${path} has ${code.slice(at, at + 60)}; load the file that imports it late instead`);
}

/** What is kept of a chunk has its name without the hash. */
function assertOwnNames(paths) {
  const names = paths.map((path) => path.replace(/-.{8}\.cjs$/, ''));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two chunks are called ${twice}`);
}

/** One byte a character: Node reads that faster, and V8 needs half the memory. */
function inAscii(code) {
  if (/\braw`[^`]*[^\0-\x7f]/.test(code)) throw new Error('a raw text cannot be written in ASCII');
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
      `dist/${chunk.fileName} would import "${imported}" at run time, which is not a dependency of the package; ` +
        `install it as a development dependency so that it is bundled`,
    );
  }
}
