import type { Question, QuestionOption, QuestionType } from '../machine/interview.js';

/**
 * Types of §6.2, and §11.8's names for them (SEMANTICS 58): SINGLE_SELECT is MULTIPLE_CHOICE, FREE_TEXT is
 * FREEFORM, CONFIRM is CONFIRMATION. MULTI_SELECT is a MULTIPLE_CHOICE with several possible answers: a
 * person separates them by commas, and the answer has `selected_options`, at least one; `value` is their
 * keys, separated by commas.
 */
export type QuestionTypeName = QuestionType | 'SINGLE_SELECT' | 'MULTI_SELECT' | 'FREE_TEXT' | 'CONFIRM';

/** Question of a handler (§6.2): the engine adds its id and the stage. */
export interface QuestionDraft extends Omit<Question, 'id' | 'stage' | 'type' | 'options'> {
  readonly type: QuestionTypeName;
  /** Options, at least one, of the types that offer a choice. */
  readonly options?: readonly QuestionOption[];
  /**
   * Identity of the question in its attempt: a question with the same key receives the same answer, also after an
   * interruption. By default the key is the number of the question.
   */
  readonly key?: string | undefined;
}
