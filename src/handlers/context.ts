import { copyJson, type JsonValue } from '../graph/json.js';
import type { PersistentMap } from '../machine/persistent.js';

/**
 * View of a stage on the run's context (§5.1). Writing to it is buffered: the values become part of the
 * outcome when the stage has ended, so that a stage which fails halfway or runs again leaves nothing
 * behind.
 */
export class Context {
  readonly #values: PersistentMap<string, JsonValue>;
  readonly #updates = new Map<string, JsonValue>();
  readonly #log: (message: string) => void;
  readonly #resolve: (value: JsonValue) => JsonValue;

  /**
   * @param resolve returns the value of a reference to an artifact, in which a value is stored that is too
   * large (§5.5)
   */
  constructor(
    values: PersistentMap<string, JsonValue>,
    log: (message: string) => void,
    resolve: (value: JsonValue) => JsonValue = (value) => value,
  ) {
    this.#values = values;
    this.#log = log;
    this.#resolve = resolve;
  }

  /**
   * Value of a key. Lists and maps are copies: other stages, and a resumed run, must see the recorded ones.
   */
  get(key: string): JsonValue | undefined {
    if (this.#updates.has(key)) return copyJson(this.#updates.get(key));
    const value = this.#values.get(key);
    return value === undefined ? undefined : this.#given(value);
  }

  /** Value as text; the default if there is none. Lists and maps come as JSON. */
  getString(key: string, defaultText = ''): string {
    const value = this.get(key);
    if (value === undefined || value === null) return defaultText;
    return typeof value === 'string' ? value : JSON.stringify(value);
  }

  has(key: string): boolean {
    return this.#updates.has(key) || this.#values.has(key);
  }

  /** Sets a value; one that is not JSON is kept as its text, with an entry in the run log (SEMANTICS 66a). */
  set(key: string, value: unknown): void {
    this.#updates.set(
      key,
      toJsonValue(value, () =>
        this.#log(`context key "${key}" was set to a value that is not JSON; its text is kept`),
      ),
    );
  }

  appendLog(entry: string): void {
    this.#log(entry);
  }

  *keys(): IterableIterator<string> {
    for (const [key] of this.#values) {
      if (!this.#updates.has(key)) yield key;
    }
    yield* this.#updates.keys();
  }

  *entries(): IterableIterator<[key: string, value: JsonValue]> {
    for (const [key, value] of this.#values) {
      if (!this.#updates.has(key)) yield [key, this.#given(value)];
    }
    for (const [key, value] of this.#updates) yield [key, copyJson(value)];
  }

  /** Copy of all values; changing it changes nothing. */
  snapshot(): Record<string, JsonValue> {
    return Object.fromEntries(this.entries());
  }

  /** Values set since the stage began. */
  get updates(): ReadonlyMap<string, JsonValue> {
    return this.#updates;
  }

  #given(value: JsonValue): JsonValue {
    return typeof value === 'object' ? copyJson(this.#resolve(value)) : value;
  }
}

/** Deep copy as JSON; a value that JSON cannot hold becomes its text, and `onLoss` is called. */
export function toJsonValue(value: unknown, onLoss: () => void): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      break;
    case 'undefined':
      return null;
    case 'object':
      if (value === null) return null;
      try {
        const copy = JSON.parse(JSON.stringify(value)) as JsonValue;
        if (!holdsOnlyJson(value)) onLoss();
        return copy;
      } catch {
        // A cycle or a BigInt: only its text can be kept.
      }
      break;
    case 'bigint':
    case 'function':
    case 'symbol':
      break;
  }
  onLoss();
  return String(value);
}

function holdsOnlyJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every(holdsOnlyJson);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every(holdsOnlyJson);
}
