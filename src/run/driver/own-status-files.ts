/** How many files are remembered: those of the stages that a run goes through again and again. */
const remembered = 1000;

/**
 * What the engine itself wrote to the `status.json` of the latest stages. A stage that ends as it did before needs no new
 * file, and one that is as it was written says nothing about the attempt; creating and removing files takes longer than
 * all the rest of a stage that does little.
 */
export class OwnStatusFiles {
  readonly #texts = new Map<string, string>();

  wrote(stage: string, text: string): void {
    this.#texts.delete(stage);
    this.#texts.set(stage, text);
    if (this.#texts.size <= remembered) return;
    for (const oldest of this.#texts.keys()) {
      this.#texts.delete(oldest);
      return;
    }
  }

  textOf(stage: string): string | undefined {
    return this.#texts.get(stage);
  }

  forget(stage: string): void {
    this.#texts.delete(stage);
  }
}
