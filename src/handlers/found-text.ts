const longest = 60;

/** A value that is not what was expected, as a message shows it: as JSON where it is, and cut short. */
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

/** An instance of a class may look like anything as JSON. */
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
