import { packageFile } from './package-files.js';

/** Page of the documentation. */
export interface DocPage {
  /** `values` for `docs/values.md`. */
  readonly name: string;
  readonly summary: string;
  /** Group of the index, such as "to write pipelines". */
  readonly group: string;
  /** Path in the package. */
  readonly file: string;
}

/** Pages in the order of the index of the documentation, which says what is on each. */
export function docPages(index = packageFile('docs/README.md')): readonly DocPage[] {
  let group = '';
  return index.split('\n').flatMap((line) => {
    const [, heading] = /^\| (to [^|]*\S) \| \|$/.exec(line) ?? [];
    if (heading !== undefined) group = heading;
    const [, links, text] = /^\| (\[.*\]\(.*\)) \| (.*) \|$/.exec(line) ?? [];
    if (links === undefined || text === undefined) return [];
    return pagesOf(links, text).map((page) => ({ ...page, group }));
  });
}

/** Pages of a row, which has a summary for all, or one for each between semicolons. */
function pagesOf(links: string, text: string): readonly Omit<DocPage, 'group'>[] {
  const files = [...links.matchAll(/\]\(([\w./-]+)\)/g)].map(([, file = '']) => file);
  const summaries = text.split('; ');
  return files.map((file, index) => ({
    name: file.replace(/^.*\/|\.md$/g, '').toLowerCase(),
    summary: (files.length === summaries.length ? summaries[index] : undefined) ?? text,
    file: file.startsWith('../') ? file.slice(3) : `docs/${file}`,
  }));
}
