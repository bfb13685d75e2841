// Packs the VS Code extension of editors/vscode/dist/ as a .vsix, and checks that it holds what it should and that its server works.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const source = join(root, 'editors/vscode');
const built = join(source, 'dist');
const vsce = join(source, 'node_modules/@vscode/vsce/vsce');
const { name, version } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
const vsix = join(source, `${name}-${version}.vsix`);

/** Largest extension that is still quick to install, in MiB. */
const largest = 10;

const required = [
  'package.json',
  'README.md',
  'LICENSE',
  'THIRD-PARTY-LICENSES.txt',
  'icon.png',
  'extension.cjs',
  'language-configuration.json',
  'snippets.json',
  'syntaxes/attractor.tmLanguage.json',
  'preview/preview.js',
  'preview/preview.css',
  'walkthrough/write.md',
  'walkthrough/preview.md',
  'walkthrough/simulate.md',
  'walkthrough/test.md',
  'server/package.json',
  'server/bin/attractor.js',
  'server/bin/package.json',
  'server/dist/cli.cjs',
  'server/dist/index.cjs',
  'server/dist/THIRD-PARTY-LICENSES.txt',
];
const allowed = [/^server\/dist\/(chunks|fonts|web)\/.+$/];

// Only this script needs the packer, and it brings many packages.
if (!existsSync(vsce))
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: source,
    stdio: 'inherit',
  });
pack('package', '--allow-missing-repository', '--out', vsix);
const size = statSync(vsix).size / 1024 / 1024;
const problems = [...fileProblems(pack('ls')), ...sizeProblems(), ...serverProblems()];
for (const problem of problems) process.stderr.write(`vscode: ${problem}\n`);
if (problems.length === 0)
  process.stderr.write(`vscode: ${name}-${version}.vsix holds what it should, in ${size.toFixed(1)} MiB\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function pack(command, ...args) {
  return execFileSync(process.execPath, [vsce, command, '--no-dependencies', ...args], {
    cwd: built,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function fileProblems(listed) {
  const files = listed.split('\n').filter((file) => file !== '');
  return [
    ...required.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files
      .filter((file) => !required.includes(file) && !allowed.some((pattern) => pattern.test(file)))
      .map((file) => `${file} would be published; say in scripts/check-vscode.mjs why it should`),
  ];
}

function sizeProblems() {
  return size <= largest ? [] : [`the extension has ${size.toFixed(1)} MiB, more than ${largest} MiB`];
}

/** The bundled server stands alone: it draws a pipeline, with modules that load late. */
function serverProblems() {
  const attractor = join(built, 'server/bin/attractor.js');
  const call = (...args) =>
    execFileSync(process.execPath, [attractor, ...args], { cwd: root, encoding: 'utf8' });
  const problems = [];
  if (call('--version').trim() !== version) problems.push(`the bundled server is not attractor ${version}`);
  if (!call('render', 'examples/release.dot').includes('<svg class="attractor"'))
    problems.push('the bundled server does not draw');
  return problems;
}
