import type { FileChange } from './file-change.js';

/** File as the history of a run knows it. */
export type KnownFile =
  | { readonly kind: 'stored'; readonly parts: readonly Part[]; readonly size: number }
  | { readonly kind: 'left_out'; readonly size: number; readonly reason: string };

/** Part of the content of a file; the parts are one after the other. */
export interface Part {
  readonly sha256: string;
  readonly size: number;
}

export interface Directory {
  readonly files: ReadonlyMap<string, KnownFile>;
  readonly directories: ReadonlyMap<string, Directory>;
}

interface Node extends Directory {
  readonly files: Map<string, KnownFile>;
  readonly directories: Map<string, Node>;
}

/** Files of a run directory: a fold of their changes. Paths are relative to it, with `/` between the names. */
export class FileTree {
  readonly #root: Node;
  /** Number that grows with every change. */
  version = 0;

  /** @param root of a tree as it was, which becomes this one */
  constructor(root: Directory = emptyNode()) {
    this.#root = root as Node;
  }

  get root(): Directory {
    return this.#root;
  }

  /** @throws Error for a path that leads elsewhere */
  apply(change: FileChange): void {
    const names = namesIn(change.path);
    const name = names.pop();
    if (name === undefined) return;
    this.version += 1;
    if (change.kind === 'removed') return this.#remove(names, name);
    const file = this.#changed(change);
    if (file === undefined) return;
    const node = this.#make(names);
    node.directories.delete(name);
    node.files.set(name, file);
  }

  /** @returns undefined if there is no such file */
  file(place: string): KnownFile | undefined {
    const names = namesIn(place);
    const name = names.pop() ?? '';
    return this.#find(names)?.files.get(name);
  }

  /** Forgets what is below a directory. */
  clear(place: string): void {
    const names = namesIn(place);
    const name = names.pop();
    this.version += 1;
    if (name !== undefined) this.#find(names)?.directories.delete(name);
  }

  /** @returns undefined if nothing of it is known */
  directory(place: string): Directory | undefined {
    return this.#find(place === '' ? [] : namesIn(place));
  }

  /** All files, each with its path. */
  *entries(): Iterable<readonly [path: string, file: KnownFile]> {
    yield* entriesBelow(this.#root, '');
  }

  #changed(change: Exclude<FileChange, { kind: 'removed' }>): KnownFile | undefined {
    switch (change.kind) {
      case 'same':
        return this.file(change.as);
      case 'left_out':
        return { kind: 'left_out', size: change.size, reason: change.reason };
      case 'stored': {
        const before = change.isAdded ? this.file(change.path) : undefined;
        const { parts, size } = before?.kind === 'stored' ? before : nothing;
        const part = { sha256: change.sha256, size: change.size };
        return { kind: 'stored', parts: [...parts, part], size: size + part.size };
      }
    }
  }

  #remove(names: readonly string[], name: string): void {
    const node = this.#find(names);
    node?.files.delete(name);
    node?.directories.delete(name);
  }

  #find(names: readonly string[]): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of names) node = node?.directories.get(name);
    return node;
  }

  #make(names: readonly string[]): Node {
    let node = this.#root;
    for (const name of names) {
      const next = node.directories.get(name) ?? emptyNode();
      node.directories.set(name, next);
      node.files.delete(name);
      node = next;
    }
    return node;
  }
}

function emptyNode(): Node {
  return { files: new Map(), directories: new Map() };
}

const nothing: { readonly parts: readonly Part[]; readonly size: number } = { parts: [], size: 0 };

/** Files of a directory and of those below it, with their paths after a prefix. */
export function* entriesBelow(node: Directory, prefix: string): Iterable<readonly [string, KnownFile]> {
  for (const [name, file] of node.files) yield [`${prefix}${name}`, file];
  for (const [name, below] of node.directories) yield* entriesBelow(below, `${prefix}${name}/`);
}

/** Names of a path, which comes from a database: it must not lead out of the run directory. */
function namesIn(place: string): string[] {
  const names = place.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || /[\0\\]/.test(name)))
    throw new Error(`${JSON.stringify(place)} is not the path of a file of a run`);
  return names;
}
