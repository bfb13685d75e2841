// Checks what publint does not: that the package as published holds what it should, that its declarations stand on
// their own, and that all entries load.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const required = [
  'package.json',
  'README.md',
  'LICENSE',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'bin/attractor.js',
  'skills/attractor/SKILL.md',
  // What says that it is CommonJS.
  'bin/package.json',
  'dist/index.js',
  'dist/index.cjs',
  'dist/core.js',
  'dist/core.cjs',
  'dist/types-commonjs/package.json',
  'dist/cli.cjs',
  // What lays pictures out.
  'dist/chunks/graphviz.wasm',
  // What pictures are written in, on machines without fonts.
  'dist/fonts/Arimo_400Regular.ttf',
  'dist/fonts/Arimo_700Bold.ttf',
  'dist/fonts/Cousine_400Regular.ttf',
  'dist/web/index.html',
];
const allowed = [
  /^dist\/chunks\/[^/]+\.cjs$/,
  // What the core counts a long prompt with, loaded only then.
  /^dist\/chunks\/gpt-tokenizer-[^/]+\.js$/,
  /^dist\/types(-commonjs)?\/.+\.d\.ts$/,
  /^dist\/THIRD-PARTY-LICENSES\.txt$/,
  // The documentation for models: an index, and all pages in one file.
  /^llms\.txt$/,
  /^dist\/llms-full\.txt$/,
  /^dist\/fonts\/LICENSE-[a-z]+\.txt$/,
  // What the README leads to.
  /^docs\/[^/]+\.(md|json)$/,
  /^docs\/images\/[^/]+\.(svg|png)$/,
  /^examples\/.+$/,
  // What coding agents learn from.
  /^skills\/attractor\/SKILL\.md$/,
  /^deploy\/(Dockerfile|compose\.yaml|kubernetes\.yaml|logins\.sh)$/,
  // How editors other than VS Code are configured.
  /^editors\/(emacs|helix|neovim|zed)\/README\.md$/,
  /^grammar\/[^/]+\.(ebnf|json)$/,
  /^dist\/web\/assets\/[^/]+\.(js|css|svg)$/,
];

const problems = [
  ...packedFileProblems(),
  ...declarationProblems(),
  ...consumerProblems(),
  ...(await entryProblems()),
];
for (const problem of problems) process.stderr.write(`package: ${problem}\n`);
if (problems.length === 0) process.stderr.write(`package: ${name} ${version} holds what it should\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function packedFileProblems() {
  // npm's own entry point, where npm runs this script: the same npm, and no shell on any platform.
  const npm = process.env.npm_execpath === undefined ? ['npm'] : [process.execPath, process.env.npm_execpath];
  const [command, ...first] = npm;
  const json = execFileSync(command, [...first, 'pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const files = JSON.parse(json)[0].files.map(({ path }) => path);
  return [
    ...required.filter((path) => !files.includes(path)).map((path) => `${path} would not be published`),
    ...linkProblems(new Set(files)),
    ...files
      .filter((path) => !required.includes(path) && !allowed.some((pattern) => pattern.test(path)))
      .map(
        (path) =>
          `${path} would be published; say in scripts/check-package.mjs why it should, or leave it out`,
      ),
  ];
}

/** Links of the README and the documentation that lead nowhere in an installed package. */
function linkProblems(files) {
  const isThere = (path) => files.has(path) || [...files].some((file) => file.startsWith(`${path}/`));
  return [...files]
    .filter((file) => file === 'README.md' || /^(docs|editors)\/.+\.md$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g)]
        .map(([, link]) => posix.join(posix.dirname(file), link).replace(/\/$/, ''))
        .filter((target) => !isThere(target))
        .map((target) => `${file} links to ${target}, which is not in the package`),
    );
}

/** What a consumer's compiler could not resolve: the dependencies are bundled, so their types are not installed. */
function declarationProblems() {
  const problems = [];
  const pending = ['index', 'core'].map((entry) => join(root, `dist/types/${entry}.d.ts`));
  const seen = new Set(pending);
  for (const file of pending) {
    const text = readFileSync(file, 'utf8');
    for (const [, specifier] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      if (isBuiltin(specifier)) continue;
      const target = join(dirname(file), specifier.replace(/\.js$/, '.d.ts'));
      if (!specifier.startsWith('.') || !existsSync(target)) {
        problems.push(
          `${relative(root, file)} imports the types of "${specifier}", which a consumer does not have`,
        );
      } else if (!seen.has(target)) {
        seen.add(target);
        pending.push(target);
      }
    }
  }
  return problems;
}

/** What a compiler says of a project that imports the package, as an ES module and as CommonJS. */
function consumerProblems() {
  const project = mkdtempSync(join(tmpdir(), 'attractor-consumer-'));
  try {
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(root, join(project, 'node_modules', name), 'junction');
    const text = `import { run, type RunOptions } from '${name}';
import { compile } from '${name}/core';
const options: RunOptions = {};
export const used = [run('digraph g {}', options), compile('digraph g {}').diagnostics];
`;
    for (const file of ['consumer.mts', 'consumer.cts']) writeFileSync(join(project, file), text);
    const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'node16',
      '--preserveSymlinks',
    ];
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const { status, stdout } = spawnSync(
      process.execPath,
      [compiler, ...options, ...types, 'consumer.mts', 'consumer.cts'],
      { cwd: project, encoding: 'utf8' },
    );
    return status === 0 ? [] : stdout.trim().split('\n');
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

async function entryProblems() {
  const problems = [];
  for (const [specifier, file] of [
    [name, 'dist/index.js'],
    [`${name}/core`, 'dist/core.js'],
  ]) {
    const names = Object.keys(await import(specifier));
    if (names.length === 0) problems.push(`${file} exports nothing`);
    const required = createRequire(import.meta.url)(specifier);
    const missing = names.filter((exported) => !(exported in required));
    if (missing.length > 0) problems.push(`require("${specifier}") lacks ${missing.join(', ')}`);
  }
  const printed = execFileSync(process.execPath, [join(root, 'bin/attractor.js'), '--version'], {
    encoding: 'utf8',
  }).trim();
  if (printed !== version)
    problems.push(`\`attractor --version\` printed ${printed}, package.json says ${version}`);
  return problems;
}
