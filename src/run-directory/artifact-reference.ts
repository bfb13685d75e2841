import type { JsonValue } from '../graph/json.js';
import type { ArtifactInfo, Artifacts } from '../handlers/artifacts.js';

/** Value in the context in place of one that was too large for it (DESIGN §2). */
export interface ArtifactReference {
  readonly [field: string]: JsonValue;
  /** Id of the artifact that has the value. */
  readonly $artifact: string;
  readonly size_bytes: number;
  /** Beginning of a text, or of the value as JSON. */
  readonly preview: string;
}

/**
 * Reference to a stored value.
 * @param length of the preview, in characters
 */
export function referenceTo(info: ArtifactInfo, value: JsonValue, length: number): ArtifactReference {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { $artifact: info.id, size_bytes: info.size_bytes, preview: firstCharacters(text, length) };
}

export function isArtifactReference(value: JsonValue): value is ArtifactReference {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    typeof (value as ArtifactReference).$artifact === 'string' &&
    typeof (value as ArtifactReference).size_bytes === 'number' &&
    typeof (value as ArtifactReference).preview === 'string'
  );
}

/**
 * Restores the parts of a value of the context that are stored as artifacts; one without references is
 * returned as it is.
 * @throws an error if an artifact is lost
 */
export function resolveReferences(value: JsonValue, artifacts: Pick<Artifacts, 'retrieve'>): JsonValue {
  if (typeof value !== 'object' || value === null || !holdsReference(value)) return value;
  if (isArtifactReference(value)) return artifacts.retrieve(value.$artifact);
  if (Array.isArray(value)) return value.map((item: JsonValue) => resolveReferences(item, artifacts));
  const resolved = Object.entries(value).map(([key, item]) => [key, resolveReferences(item, artifacts)]);
  return Object.fromEntries(resolved);
}

function holdsReference(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isArtifactReference(value) || Object.values(value).some(holdsReference);
}

/** First characters of a text, none of them cut in two. */
export function firstCharacters(text: string, count: number): string {
  return text.length <= count ? text : [...text.slice(0, count * 2)].slice(0, count).join('');
}
