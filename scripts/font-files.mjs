import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What pictures are written in where no system fonts are needed (src/render/fonts.ts), by family. */
const fonts = {
  '@expo-google-fonts/arimo': ['400Regular/Arimo_400Regular.ttf', '700Bold/Arimo_700Bold.ttf'],
  '@expo-google-fonts/cousine': ['400Regular/Cousine_400Regular.ttf'],
};

/**
 * The fonts of the package by their paths below dist/, with the licences that go with them. Without those that are not
 * installed pictures are drawn with the fonts of the system; scripts/check-package.mjs lets no package out like that.
 */
export function fontFiles(root) {
  const files = new Map();
  for (const [family, names] of Object.entries(fonts)) {
    const folder = join(root, 'node_modules', family);
    if (!existsSync(folder)) continue;
    for (const name of names) files.set(`fonts/${basename(name)}`, readFileSync(join(folder, name)));
    const licence = readFileSync(join(folder, 'LICENSE_FONT'), 'utf8');
    files.set(`fonts/LICENSE-${basename(family)}.txt`, licence);
  }
  return files;
}
