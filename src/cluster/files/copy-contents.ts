import { contentOf, type FileStore, storedTogether } from './file-store.js';
import type { FileTree, Part } from './file-tree.js';

/** Copies the contents of the files of a run from one store to another, except for those that the first one does not have. */
export async function copyContents(
  tree: FileTree,
  from: Pick<FileStore, 'get'>,
  to: Pick<FileStore, 'put'>,
): Promise<void> {
  const parts = [...tree.entries()].flatMap(([, file]) => (file.kind === 'stored' ? file.parts : []));
  let together: string[] = [];
  let size = 0;
  const copy = async (): Promise<void> => {
    if (together.length === 0) return;
    const contents = await from.get(together);
    await to.put([...contents].map(([, bytes]) => contentOf(bytes)));
    together = [];
    size = 0;
  };
  for (const part of distinct(parts)) {
    if (size + part.size > storedTogether) await copy();
    together.push(part.sha256);
    size += part.size;
  }
  await copy();
}

function distinct(parts: readonly Part[]): Iterable<Part> {
  return new Map(parts.map((part) => [part.sha256, part])).values();
}
