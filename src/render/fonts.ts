import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Font settings for a picture: as wide as the fonts that Graphviz measured, Helvetica and Courier. */
export interface Fonts {
  readonly fontFiles: string[];
  readonly loadSystemFonts: boolean;
  readonly defaultFontFamily: string;
  readonly sansSerifFamily: string;
  readonly monospaceFamily: string;
}

/** Font families of the package; each text falls back to those of the system. */
export const fontFamilies = { sansSerif: 'Arimo', monospace: 'Cousine' } as const;

const files = [
  '@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf',
  '@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf',
  '@expo-google-fonts/cousine/400Regular/Cousine_400Regular.ttf',
];

/** Characters that the fonts of the package lack: neither Latin, Greek, Cyrillic nor common signs. */
const uncovered = /[^\u0000-\u052f\u1e00-\u22ff\ufb01\ufb02]/;

/**
 * Fonts for a drawing: those of the package, so that a picture looks the same everywhere and a machine
 * without fonts can draw; also those of the system, which take time to find, if a text needs them.
 */
export function fontsFor(svg: string): Fonts {
  const fontFiles = files.map(locate).filter((file) => file !== undefined);
  return {
    fontFiles,
    loadSystemFonts: fontFiles.length < files.length || uncovered.test(svg),
    defaultFontFamily: fontFamilies.sansSerif,
    sansSerifFamily: fontFamilies.sansSerif,
    monospaceFamily: fontFamilies.monospace,
  };
}

/**
 * Path of a font file: in the package next to the chunks, to which scripts/build.mjs copies it; for the
 * sources in its own package.
 */
function locate(file: string): string | undefined {
  if (!import.meta.url.endsWith('.ts')) {
    const packed = fileURLToPath(new URL(`../fonts/${file.split('/').at(-1)}`, import.meta.url));
    return existsSync(packed) ? packed : undefined;
  }
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    return undefined;
  }
}
