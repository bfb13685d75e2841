/** Field of a thrown value; undefined if there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Field of a thrown value if it is a text. */
export function textFieldOf(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : undefined;
}

/** Header of the response that an error carries, wherever its client keeps it; `name` in lower case. */
export function headerOf(error: unknown, name: string): string | undefined {
  const places = [
    fieldOf(error, 'headers'),
    fieldOf(error, 'responseHeaders'),
    fieldOf(fieldOf(error, 'response'), 'headers'),
  ];
  return places.map((headers) => headerIn(headers, name)).find((value) => value !== undefined);
}

function headerIn(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const value =
    headers instanceof Headers || headers instanceof Map ? headers.get(name) : fieldNamed(headers, name);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** Field by name, ignoring case, because names of headers do. */
function fieldNamed(headers: object, name: string): unknown {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
