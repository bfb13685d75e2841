const longest = 60;

/** Unexpected value as a message shows it: as JSON if possible, and cut short. */
export function foundText(value: unknown): string {
  const text = wholeText(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function wholeText(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'function':
      return 'a function';
    case 'string':
      return JSON.stringify(value);
    case 'object':
      return value === null ? 'null' : objectText(value);
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'symbol':
      return String(value);
  }
}

/** Text of an object; an instance of a class is named, because its JSON may look like anything. */
function objectText(value: object): string {
  const { constructor: maker } = value;
  if (!Array.isArray(value) && typeof maker === 'function' && maker !== Object) {
    return `an instance of ${maker.name || 'a class'}`;
  }
  try {
    return JSON.stringify(value) ?? 'an object';
  } catch {
    return 'an object that is not JSON';
  }
}
