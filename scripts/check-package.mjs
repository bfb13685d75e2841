// Checks what publint does not: that the package as published holds what it should, that its declarations stand on
// their own, and that all entries load.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const required = [
  'package.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'bin/attractor.js',
  // What says that it is CommonJS.
  'bin/package.json',
  'dist/index.js',
  'dist/index.cjs',
  'dist/core.js',
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
  /^dist\/types\/.+\.d\.ts$/,
  /^dist\/THIRD-PARTY-LICENSES\.txt$/,
  /^dist\/fonts\/LICENSE-[a-z]+\.txt$/,
  /^dist\/web\/assets\/[^/]+\.(js|css|svg)$/,
];

const problems = [...packedFileProblems(), ...declarationProblems(), ...(await entryProblems())];
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
    ...files
      .filter((path) => !required.includes(path) && !allowed.some((pattern) => pattern.test(path)))
      .map(
        (path) =>
          `${path} would be published; say in scripts/check-package.mjs why it should, or leave it out`,
      ),
  ];
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

async function entryProblems() {
  const problems = [];
  for (const [specifier, file] of [
    [name, 'dist/index.js'],
    [`${name}/core`, 'dist/core.js'],
  ]) {
    if (Object.keys(await import(specifier)).length === 0) problems.push(`${file} exports nothing`);
  }
  const printed = execFileSync(process.execPath, [join(root, 'bin/attractor.js'), '--version'], {
    encoding: 'utf8',
  }).trim();
  if (printed !== version)
    problems.push(`\`attractor --version\` printed ${printed}, package.json says ${version}`);
  return problems;
}
