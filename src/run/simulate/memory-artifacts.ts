import type { JsonValue } from '../../graph/json.js';
import type { ArtifactInfo } from '../../handlers/artifacts.js';
import { byteLength } from '../../run-directory/byte-length.js';
import type { RunArtifacts } from '../driver/driver-ports.js';

interface Entry {
  readonly info: ArtifactInfo;
  readonly text: string;
}

/**
 * Artifacts of a run that is not stored (§5.5): as JSON, so that each value is a copy.
 * @param now milliseconds since 1970
 */
export function memoryArtifacts(now: () => number): RunArtifacts {
  const entries = new Map<string, Entry>();
  return {
    store(id, name, data) {
      const text = JSON.stringify(data);
      const info: ArtifactInfo = {
        id,
        name,
        size_bytes: byteLength(text),
        stored_at: new Date(now()).toISOString(),
        is_file_backed: false,
      };
      entries.delete(id);
      entries.set(id, { info, text });
      return info;
    },
    retrieve(id): JsonValue {
      const entry = entries.get(id);
      if (entry === undefined) throw new Error(`artifact "${id}" not found`);
      return JSON.parse(entry.text);
    },
    has: (id) => entries.has(id),
    list: () => Array.from(entries.values(), ({ info }) => info),
    remove: (id) => entries.delete(id),
    clear: () => entries.clear(),
    sync: () => undefined,
  };
}
