import type { JsonValue } from '../graph/json.js';

/** What is known of an artifact without reading it (§5.5). */
export interface ArtifactInfo {
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Bytes of its JSON text in UTF-8. */
  readonly size_bytes: number;
  /** ISO 8601, UTC. */
  readonly stored_at: string;
  /** Whether it has a file of its own, `artifacts/<id>.json`. */
  readonly is_file_backed: boolean;
}

/**
 * Named storage for what is too large for the context (§5.5), one for the whole run: parallel branches share it, and
 * whoever stores last under an id wins. What is stored is kept even if the stage then fails or its process ends; a stage
 * that runs again therefore uses the same id again.
 */
export interface Artifacts {
  /**
   * Stores a value under an id, in place of what was there.
   * @param id 1 to 128 letters, digits, `.`, `_`, `-`, no dot at the beginning (SEMANTICS 70)
   * @throws an error for an id that cannot be used, or data that JSON cannot hold
   */
  store(id: string, name: string, data: unknown): ArtifactInfo;
  /** A copy of the value. @throws an error where there is none */
  retrieve(id: string): JsonValue;
  has(id: string): boolean;
  /** In the order in which they were stored. */
  list(): readonly ArtifactInfo[];
  /** @returns whether there was one */
  remove(id: string): boolean;
  clear(): void;
}
