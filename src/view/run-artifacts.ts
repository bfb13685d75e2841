import path from 'node:path';
import { ArtifactLog, type ArtifactRecord } from '../run-directory/artifact-log.js';
import { nodeFileSystem } from '../run-directory/file-system.js';
import type { FoundFile } from './found-file.js';
import { type ReadingOptions, readConfined } from './read-confined.js';
import type { ArtifactList } from './stage-schema.js';

type StoredRecord = Extract<ArtifactRecord, { readonly op: 'store' }>;

const folder = 'artifacts';

/**
 * Artifacts of a run, which may be under way, in the order in which they were stored (§5.5).
 * @throws RunError `run_damaged` or `storage`
 */
export function artifactList(directory: string): ArtifactList {
  return {
    artifacts: [...storedRecords(directory).values()].map(({ info }) => ({
      id: info.id,
      name: info.name,
      bytes: info.size_bytes,
      stored_at: info.stored_at,
    })),
  };
}

/**
 * Reads an artifact of a run, as JSON text.
 * @throws RunError `run_damaged` or `storage`
 */
export function readArtifact(directory: string, id: string, options: ReadingOptions = {}): FoundFile {
  const record = storedRecords(directory).get(id);
  if (record === undefined) return { kind: 'missing', message: `there is no artifact "${id}"` };
  if ('file' in record) return readConfined(directory, folder, record.file, options);
  const data = Buffer.from(JSON.stringify(record.data));
  return { kind: 'found', data: data.subarray(0, options.limit), size: data.length };
}

function storedRecords(directory: string): ReadonlyMap<string, StoredRecord> {
  const records = new Map<string, StoredRecord>();
  const log = new ArtifactLog(path.join(directory, folder, 'index.jsonl'), nodeFileSystem);
  for (const record of log.read()) {
    switch (record.op) {
      case 'store':
        // An artifact that is stored again becomes the last.
        records.delete(record.info.id);
        records.set(record.info.id, record);
        break;
      case 'remove':
        records.delete(record.id);
        break;
      case 'clear':
        records.clear();
        break;
    }
  }
  return records;
}
