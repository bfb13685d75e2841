const bracketPrefix = /^\[\s*([^\]\s]{1,4})\s*\]\s*/u;
const parenthesisPrefix = /^([\p{L}\p{N}]{1,4})\)\s*/u;
const dashPrefix = /^([\p{L}\p{N}]{1,4}) - \s*/u;
const acceleratorPrefixes = [bracketPrefix, parenthesisPrefix, dashPrefix];

/** Key that a label declares: `Y` of `[Y] Yes`, `Y) Yes` and `Y - Yes` (§4.6); undefined without one. */
export function acceleratorKey(label: string): string | undefined {
  const trimmed = label.trim();
  for (const prefix of acceleratorPrefixes) {
    const match = prefix.exec(trimmed);
    if (match?.[1] !== undefined) return match[1];
  }
  return undefined;
}

/** Label without its accelerator prefix (§4.6); the whole label if nothing else remains. */
export function labelWithoutKey(label: string): string {
  const trimmed = label.trim();
  const prefix = acceleratorPrefixes.find((one) => one.test(trimmed));
  return (prefix && trimmed.replace(prefix, '').trim()) || trimmed;
}

/** Label in the form in which labels are compared: without its accelerator prefix, in lower case (§3.3). */
export function normalizeLabel(label: string): string {
  return labelWithoutKey(label).toLowerCase();
}

/** True if two labels name the same choice (SEMANTICS 18a); an empty label never matches. */
export function labelsMatch(one: string, other: string): boolean {
  const normalized = normalizeLabel(one);
  return normalized !== '' && normalized === normalizeLabel(other);
}
