/** Separates the preamble about the run from the author's prompt; no line of a preamble looks like it. */
const separator = '\n\n---\n\n';

/** Text for the model (§9.2): the preamble, then the prompt of the stage, unchanged and last. */
export function composePrompt(preamble: string, prompt: string): string {
  return preamble === '' ? prompt : `${preamble}${separator}${prompt}`;
}
