import type { JsonValue } from '../json.js';

/** Reference to the whole text of a file of a run (SEMANTICS 104); a value of JSON, as no interface is. */
export type FileReference = {
  /** Path relative to the run directory when the stage settled; a later visit moves the file. */
  readonly $file: string;
  /** Of the content, in hexadecimal digits: what identifies it. */
  readonly sha256: string;
  readonly bytes: number;
};

export function isFileReference(value: JsonValue): value is FileReference {
  if (typeof value !== 'object' || value === null) return false;
  const { $file, sha256, bytes } = value as Readonly<Record<string, JsonValue>>;
  return typeof $file === 'string' && typeof sha256 === 'string' && typeof bytes === 'number';
}
