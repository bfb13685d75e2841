/** File that exists, or may exist, but cannot be read although the disk works. */
export interface UnreadableFile {
  /** Name of the file and the reason, in words. */
  readonly problem: string;
}

export function unreadable(file: string, why: string): UnreadableFile {
  return { problem: `${file} cannot be read: ${why}` };
}

export function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException | null)?.code;
}

/** System errors for an obstacle in a path, or for permissions that its owner has removed. */
const obstructions: ReadonlySet<unknown> = new Set([
  ...[
    'ENOENT',
    'ENOTDIR',
    'ENOTFILE',
    'EISDIR',
    'EEXIST',
    'ENOTEMPTY',
    'EACCES',
    'EPERM',
    'ELOOP',
    'ENXIO',
    'ETXTBSY',
  ],
  // Node's own error if a file to be removed is a directory.
  'ERR_FS_EISDIR',
]);

export function isObstruction(error: unknown): boolean {
  return obstructions.has(codeOf(error));
}

/** True for a file that is too large: above the limit of its reader, or Node's 2 GiB in a buffer and half a gigabyte in a text. */
export function isTooLong(error: unknown): boolean {
  return ['EFBIG', 'ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'].some((code) => code === codeOf(error));
}
