/** Between what an LLM stage is told of the run and what its author wrote; no line of a preamble looks like it. */
const separator = '\n\n---\n\n';

/** What is sent to the model (§9.2): the preamble, then the prompt of the stage, unchanged and last. */
export function composePrompt(preamble: string, prompt: string): string {
  return preamble === '' ? prompt : `${preamble}${separator}${prompt}`;
}
