/**
 * Plain data without secrets in its texts, its keys and its numbers; the same object if there are none.
 * @param redact returns the same text if it has no secret
 */
export function redactJson<Value>(value: Value, redact: (text: string) => string): Value {
  return redacted(value, redact) as Value;
}

function redacted(value: unknown, redact: (text: string) => string): unknown {
  switch (typeof value) {
    case 'string':
      return redact(value);
    case 'number': {
      const text = String(value);
      const clean = redact(text);
      return clean === text ? value : clean;
    }
    case 'object':
      if (value === null) return value;
      return Array.isArray(value) ? redactedList(value, redact) : redactedObject(value, redact);
    default:
      return value;
  }
}

function redactedList(list: readonly unknown[], redact: (text: string) => string): readonly unknown[] {
  let isChanged = false;
  const clean = list.map((item) => {
    const cleanItem = redacted(item, redact);
    isChanged ||= cleanItem !== item;
    return cleanItem;
  });
  return isChanged ? clean : list;
}

function redactedObject(value: object, redact: (text: string) => string): object {
  let changed: [string, unknown][] | undefined;
  const entries = Object.entries(value);
  for (const [index, [key, member]] of entries.entries()) {
    const cleanKey = redact(key);
    const clean = redacted(member, redact);
    if (cleanKey === key && clean === member) continue;
    changed ??= [...entries];
    changed[index] = [cleanKey, clean];
  }
  return changed === undefined ? value : Object.fromEntries(changed);
}
