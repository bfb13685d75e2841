import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What a picture is drawn with: as wide as the fonts that Graphviz measured, Helvetica and Courier. */
export interface Fonts {
  readonly fontFiles: string[];
  readonly loadSystemFonts: boolean;
  readonly defaultFontFamily: string;
  readonly sansSerifFamily: string;
  readonly monospaceFamily: string;
}

/** Those that the package brings; each text falls back to what the system has. */
export const fontFamilies = { sansSerif: 'Arimo', monospace: 'Cousine' } as const;

const files = [
  '@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf',
  '@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf',
  '@expo-google-fonts/cousine/400Regular/Cousine_400Regular.ttf',
];

/** What the fonts that the package brings cannot show: neither Latin, Greek, Cyrillic nor common signs. */
const foreign = /[^\u0000-\u052f\u1e00-\u22ff\ufb01\ufb02]/;

/**
 * The fonts for a drawing: those of the package, so that a picture looks the same everywhere and a machine without fonts
 * can draw; those of the system too, which take time to find, where a text needs them.
 */
export function fontsFor(svg: string): Fonts {
  const fontFiles = files.map(locate).filter((file) => file !== undefined);
  return {
    fontFiles,
    loadSystemFonts: fontFiles.length < files.length || foreign.test(svg),
    defaultFontFamily: fontFamilies.sansSerif,
    sansSerifFamily: fontFamilies.sansSerif,
    monospaceFamily: fontFamilies.monospace,
  };
}

/** In the package next to the chunks, where scripts/build.mjs has copied them; for the sources where they come from. */
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
