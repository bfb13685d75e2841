/** A field of something that was thrown; undefined where there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** The same for a text. */
export function textFieldOf(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : undefined;
}

/** A header of the response that an error carries, wherever its client keeps it; the name in lower case. */
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

/** Names of headers are the same in capitals. */
function fieldNamed(headers: object, name: string): unknown {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
