import type { Artifacts } from '../handlers/artifacts.js';
import type { Outcome } from '../machine/outcome.js';

/** The artifacts of a run as one stage sees them, and which of them it has stored itself. */
export interface StageArtifacts extends Artifacts {
  /** Ids, without those that the stage has removed again. */
  readonly stored: ReadonlySet<string>;
}

/** What a handler is given as `stage.artifacts` (§5.5). */
export function stageArtifacts(all: Artifacts): StageArtifacts {
  const stored = new Set<string>();
  return {
    stored,
    store(id, name, data) {
      const info = all.store(id, name, data);
      stored.add(id);
      return info;
    },
    retrieve: (id) => all.retrieve(id),
    has: (id) => all.has(id),
    list: () => all.list(),
    remove(id) {
      stored.delete(id);
      return all.remove(id);
    },
    clear() {
      stored.clear();
      all.clear();
    },
  };
}

/** Bytes that ids may take in one event, so that it stays small (DESIGN §2). */
const longestIds = 32 * 1024;

/** The outcome of a stage with the ids of what it has stored, as many as one event can hold. */
export function withStoredArtifacts(outcome: Outcome, { stored }: StageArtifacts): Outcome {
  if (stored.size === 0) return outcome;
  const artifacts: string[] = [];
  let bytes = 0;
  for (const id of stored) {
    bytes += id.length + 3;
    if (bytes > longestIds) break;
    artifacts.push(id);
  }
  return { ...outcome, artifacts };
}
