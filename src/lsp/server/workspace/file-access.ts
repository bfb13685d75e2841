/** Files of a machine that a language server reads. None of these throws. */
export interface FileAccess {
  /** Text of a file; undefined if it cannot be read, or is too large. */
  read(path: string): string | undefined;
  /** Mark that changes with the file; undefined if there is none. */
  mark(path: string): string | undefined;
  /** Entries of a directory; none if it cannot be read. */
  entries(path: string): Promise<readonly DirectoryEntry[]>;
  /** The same at once, for a directory that somebody is naming. */
  entriesNow(path: string): readonly DirectoryEntry[];
}

export interface DirectoryEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}
