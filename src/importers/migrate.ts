import type { Importer, ImportResult } from './importer.js';
import { importers } from './importers.js';

/** Importer with the strongest signs; undefined if no language is recognized. */
export function recognize(text: string): Importer | undefined {
  let best: Importer | undefined;
  let strength = 0;
  for (const importer of importers) {
    const own = importer.recognize(text);
    if (own <= strength) continue;
    best = importer;
    strength = own;
  }
  return best;
}

export interface RecognizedImport {
  readonly importer: Importer;
  readonly result: ImportResult;
}

/**
 * Turns a pipeline of another tool into one of this language. Never throws on a text.
 * @param from the language of the text; by default, the one that is recognized
 * @returns undefined if no language is recognized
 */
export function migrate(text: string, from?: Importer): RecognizedImport | undefined {
  const importer = from ?? recognize(text);
  return importer && { importer, result: importer.migrate(text) };
}
