import { hashOf } from './file-store.js';
import type { KnownFile } from './file-tree.js';

type StoredFile = Extract<KnownFile, { kind: 'stored' }>;

/** True if the bytes are the content of a file. */
export function isContent(bytes: Uint8Array, file: StoredFile): boolean {
  return bytes.length === file.size && hasBeginning(bytes, file);
}

/** True if the bytes begin with the content of a file. */
export function hasBeginning(bytes: Uint8Array, file: StoredFile): boolean {
  if (bytes.length < file.size) return false;
  let start = 0;
  for (const { sha256, size } of file.parts) {
    if (hashOf(bytes.subarray(start, start + size)) !== sha256) return false;
    start += size;
  }
  return true;
}
