import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const licenceFile = /^(licen[cs]e|copying|notice)([.-].*)?$/i;
const rule = '='.repeat(80);

// Works inside a package that its own licence file does not name.
const embedded = {
  '@hpcc-js/wasm-graphviz':
    'The WebAssembly inside it is Graphviz (https://graphviz.org), under the Eclipse Public License;\n' +
    'the source is at https://gitlab.com/graphviz/graphviz. It holds Expat (https://libexpat.github.io), under the MIT\n' +
    'licence:\n\n' +
    'Copyright (c) 1998-2000 Thai Open Source Software Center Ltd and Clark Cooper\n' +
    'Copyright (c) 2001-2025 Expat maintainers\n\n' +
    'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated\n' +
    'documentation files (the "Software"), to deal in the Software without restriction, including without limitation the\n' +
    'rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit\n' +
    'persons to whom the Software is furnished to do so, subject to the following conditions:\n\n' +
    'The above copyright notice and this permission notice shall be included in all copies or substantial portions of the\n' +
    'Software.\n\n' +
    'THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE\n' +
    'WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR\n' +
    'COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR\n' +
    'OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.',
};

/** The licence texts of the packages that the given modules come from, in the order of the packages' names. */
export function thirdPartyLicenses(root, moduleIds) {
  const folders = new Set(
    [...moduleIds].filter((id) => id.includes('node_modules')).map((id) => packageFolder(root, id)),
  );
  const sections = [...folders].map(describePackage).sort((a, b) => a.title.localeCompare(b.title, 'en'));
  const intro = 'attractor-dot contains code of the following packages, under the licences given here.';
  return [intro, ...sections.map(({ title, text }) => `${rule}\n${title}\n${rule}\n\n${text}`)].join('\n\n');
}

// The nearest package.json may be a stub such as {"type":"module"}: the package's own has a name and a version.
function packageFolder(root, moduleId) {
  for (
    let folder = dirname(moduleId);
    folder !== root && folder !== dirname(folder);
    folder = dirname(folder)
  ) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version !== undefined)
      return folder;
  }
  throw new Error(`no package.json with a version above ${moduleId}: its licence is unknown`);
}

function describePackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => licenceFile.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  if (texts.length === 0 && typeof license !== 'string') {
    throw new Error(`${name}@${version} is bundled but says nothing about its licence`);
  }
  const title = `${name} ${version}${typeof license === 'string' ? ` (${license})` : ''}`;
  if (texts.length === 0) texts.push(`The package ships no licence text; its manifest says: ${license}.`);
  if (Object.hasOwn(embedded, name)) texts.unshift(embedded[name]);
  return { title, text: `${texts.join('\n\n')}\n` };
}
