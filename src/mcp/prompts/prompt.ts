/** Request that a person picks in the client, with words filled in. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Text for the model. */
  text(values: Readonly<Record<string, string>>): string;
}

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}
