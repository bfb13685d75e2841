import type { JsonValue } from '../graph/json.js';

/** Description of an artifact, without its value (§5.5). */
export interface ArtifactInfo {
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Bytes of its JSON text in UTF-8. */
  readonly size_bytes: number;
  /** ISO 8601, UTC. */
  readonly stored_at: string;
  /** True if it has a file of its own, `artifacts/<id>.json`. */
  readonly is_file_backed: boolean;
}

/**
 * Named storage for values that are too large for the context (§5.5), one for the whole run: parallel
 * branches share it, and the last value under an id wins. A stored value is kept even if the stage then
 * fails or its process ends; a stage that runs again uses the same id again.
 */
export interface Artifacts {
  /**
   * Stores a value under an id, replacing an earlier one.
   * @param id 1 to 128 letters, digits, `.`, `_`, `-`, no dot at the beginning (SEMANTICS 70)
   * @throws an error for an invalid id, or data that JSON cannot hold
   */
  store(id: string, name: string, data: unknown): ArtifactInfo;
  /**
   * Copy of the value.
   * @throws an error if there is none
   */
  retrieve(id: string): JsonValue;
  has(id: string): boolean;
  /** Artifacts in the order in which they were stored. */
  list(): readonly ArtifactInfo[];
  /** @returns true if there was one */
  remove(id: string): boolean;
  clear(): void;
}
