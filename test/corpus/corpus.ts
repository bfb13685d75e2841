import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A pipeline of somebody else's project. */
export interface CorpusFile {
  readonly name: string;
  readonly text: string;
  /** What the corpus's index counted in it, with another parser. */
  readonly nodes: number;
  readonly edges: number;
}

/**
 * The corpus lies outside the repository, for it is not ours to publish: in `../shared/corpus`, or where
 * `ATTRACTOR_CORPUS` says. Without it there is nothing to test, unless it was asked for by name.
 */
export function corpusFiles(): readonly CorpusFile[] {
  const named = process.env.ATTRACTOR_CORPUS;
  const folder = named ?? join(import.meta.dirname, '../../../shared/corpus');
  if (!existsSync(folder)) {
    if (named !== undefined) throw new Error(`ATTRACTOR_CORPUS names ${named}, which does not exist`);
    console.warn(`No corpus at ${folder}: its tests are skipped. Name another with ATTRACTOR_CORPUS=DIR.`);
    return [];
  }
  const present = new Set(readdirSync(folder));
  return indexRows(readFileSync(join(folder, 'INDEX.md'), 'utf8'))
    .filter(({ name }) => present.has(name))
    .map((row) => ({ ...row, text: readFileSync(join(folder, row.name), 'utf8') }));
}

/** Rows of the index begin `| file | bytes | nodes | edges |`; it lists more files than each copy of the corpus holds. */
function indexRows(index: string): Omit<CorpusFile, 'text'>[] {
  return [...index.matchAll(/^\| `([^`]+\.(?:dot|gv))`[^|]*\|[^|]*\| *(\d+) *\| *(\d+) *\|/gm)].map(
    ([, name = '', nodes, edges]) => ({ name, nodes: Number(nodes), edges: Number(edges) }),
  );
}
