/** Prompt that begins a session of an agent without a system prompt of its own: that of the author comes first (SEMANTICS 130). */
export function withSystemPrompt(systemPrompt: string | undefined, prompt: string): string {
  return systemPrompt === undefined ? prompt : `${systemPrompt}\n\n---\n\n${prompt}`;
}
