/** Caches a result for an object, as long as the object lives. */
export function perObject<Key extends object, Found extends object | string>(
  find: (key: Key) => Found,
): (key: Key) => Found {
  const cache = new WeakMap<Key, Found>();
  return (key) => {
    const before = cache.get(key);
    if (before !== undefined) return before;
    const result = find(key);
    cache.set(key, result);
    return result;
  };
}
