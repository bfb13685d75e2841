import type { JsonValue } from '../graph/json.js';
import type { ArtifactInfo, Artifacts } from '../handlers/artifacts.js';
import type { Outcome } from '../machine/outcome.js';

/**
 * Artifacts for a handler, `stage.artifacts` (§5.5): those of the run, with a record of those that the
 * stage has stored itself.
 */
export class StageArtifacts implements Artifacts {
  /** Ids stored by the stage, without those that it has removed again. */
  readonly stored = new Set<string>();
  readonly #all: Artifacts;
  readonly #checkUnderWay: () => void;

  /** @param checkUnderWay throws when the stage is over, and may no longer change anything */
  constructor(all: Artifacts, checkUnderWay: () => void) {
    this.#all = all;
    this.#checkUnderWay = checkUnderWay;
  }

  store(id: string, name: string, data: unknown): ArtifactInfo {
    this.#checkUnderWay();
    const info = this.#all.store(id, name, data);
    this.stored.add(id);
    return info;
  }

  retrieve(id: string): JsonValue {
    return this.#all.retrieve(id);
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  list(): readonly ArtifactInfo[] {
    return this.#all.list();
  }

  remove(id: string): boolean {
    this.#checkUnderWay();
    this.stored.delete(id);
    return this.#all.remove(id);
  }

  clear(): void {
    this.#checkUnderWay();
    this.stored.clear();
    this.#all.clear();
  }
}

/** Bytes of ids in one event, so that it stays small (DESIGN §2). */
const longestIds = 32 * 1024;

/** Outcome of a stage with the ids of its stored artifacts, as many as one event can hold. */
export function withStoredArtifacts(
  outcome: Outcome,
  { stored }: { readonly stored: ReadonlySet<string> },
): Outcome {
  if (stored.size === 0) return outcome;
  const artifacts: string[] = [];
  let bytes = 0;
  for (const id of new Set([...(outcome.artifacts ?? []), ...stored])) {
    bytes += id.length + 3;
    if (bytes > longestIds) break;
    artifacts.push(id);
  }
  return { ...outcome, artifacts };
}
