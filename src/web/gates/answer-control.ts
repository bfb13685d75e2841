/** Properties of every control for an answer. */
export interface AnswerControl {
  /** The id of the text of the question, which names the controls. */
  readonly labelledBy: string;
  /** An answer is on its way, or was given. */
  readonly isBusy: boolean;
  readonly hasKeys: boolean;
  readonly onAnswer: (answer: string) => void;
}
