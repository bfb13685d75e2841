const mostNames = 5;

/** Names in a sentence: the first few, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return names.slice(0, mostNames).join(', ') + more;
}
