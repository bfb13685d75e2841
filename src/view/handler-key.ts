/** True for a context key that handlers set for every stage: its text is shown as a file. */
export function isHandlerKey(key: string): boolean {
  return /^(?:tool\.|internal\.|last_stage$|last_response$)/.test(key);
}
