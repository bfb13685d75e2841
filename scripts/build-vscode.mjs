// Builds the VS Code extension in editors/vscode/dist/: its code, what its manifest names, and the command line of dist/ as its
// server. dist/ must be there: `npm run build:vscode` makes both.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleVscode } from './bundle-vscode.mjs';
import { parserDecisions } from './parser-decisions.mjs';
import { thirdPartyLicenses } from './third-party-licenses.mjs';

const root = join(import.meta.dirname, '..');
const source = join(root, 'editors/vscode');
const target = join(source, 'dist');

await build();

async function build() {
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  rmSync(target, { recursive: true, force: true });
  const { files, moduleIds } = await bundleVscode(root, {
    __ATTRACTOR_VERSION__: JSON.stringify(version),
    __ATTRACTOR_DECISIONS__: JSON.stringify(await parserDecisions(root)),
  });
  for (const [file, content] of files) write(file, content);
  write('THIRD-PARTY-LICENSES.txt', thirdPartyLicenses(root, moduleIds));
  const { devDependencies: _, ...published } = manifest;
  write('package.json', `${JSON.stringify({ ...published, version, files: ['**'] }, null, 2)}\n`);
  for (const own of ['README.md', 'language-configuration.json', 'snippets.json', 'icon.png', 'walkthrough'])
    cpSync(join(source, own), join(target, own), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  cpSync(join(root, 'grammar/attractor.tmLanguage.json'), join(target, 'syntaxes/attractor.tmLanguage.json'));
  copyServer(version);
}

/** The command line without what only other programs load: the library, its types, the documentation. */
function copyServer(version) {
  const dist = join(root, 'dist');
  if (!existsSync(join(dist, 'cli.cjs'))) throw new Error('dist/ is not built: run `npm run build` first');
  const server = join(target, 'server');
  const wanted = readdirSync(dist).filter((name) =>
    /^(cli\.cjs|index\.cjs|chunks|fonts|web|THIRD-PARTY-LICENSES\.txt)$/.test(name),
  );
  for (const name of wanted) cpSync(join(dist, name), join(server, 'dist', name), { recursive: true });
  cpSync(join(root, 'bin'), join(server, 'bin'), { recursive: true });
  write(
    'server/package.json',
    `${JSON.stringify({ name: 'attractor-dot', version, type: 'commonjs' }, null, 2)}\n`,
  );
}

function write(file, content) {
  const path = join(target, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
