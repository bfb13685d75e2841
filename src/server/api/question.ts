import { z } from 'zod';

const optionSchema = z.object({ key: z.string(), label: z.string() });

/** A question that waits for an answer (§6.2, §9.5). */
export const openQuestionSchema = z
  .object({
    /** Name of the question for an answer. */
    id: z.string(),
    /** The stage that asks; `<node>/<stage>` in the run that a node has started. */
    stage: z.string(),
    /** The branch of the stage, such as `review#3` for the third item of a list; null on the main line, and of a child run. */
    branch: z.string().nullable(),
    text: z.string(),
    /** Further text of the stage: its prompt (`metadata.prompt`). */
    details: z.string().nullable(),
    type: z.enum(['YES_NO', 'MULTIPLE_CHOICE', 'FREEFORM', 'CONFIRMATION']),
    options: z.array(optionSchema),
    /** More than one option may be chosen. */
    multi_select: z.boolean(),
    /** A person may, or must, write a text besides the choice. */
    words: z.enum(['optional', 'required']).nullable(),
    /** Default when the time is up, in the words of an answer. */
    default: z.string().nullable(),
    timeout_seconds: z.number().nullable(),
    asked_at: z.string(),
    /** True if there is an answer that no process has taken yet. */
    answered: z.boolean(),
  })
  .meta({ id: 'OpenQuestion' });

export const questionListSchema = z
  .object({ questions: z.array(openQuestionSchema) })
  .meta({ id: 'QuestionList' });

/** An answer, in the words of a person: the key or the label of an option, several of them with commas, or free text (§6.3). */
export const answerSchema = z
  .strictObject({
    answer: z.string().max(100_000),
    /** Text besides the choice, for a gate that asks for one. */
    text: z.string().max(100_000).optional(),
  })
  .meta({ id: 'AnswerRequest' });

/** `POST /answer/{id}` (§11.11): the question may be left out where there is only one. */
export const answerAliasSchema = z
  .strictObject({
    answer: z.string().max(100_000),
    text: z.string().max(100_000).optional(),
    question: z.string().optional(),
  })
  .meta({ id: 'AnswerToRun' });

export const answeredSchema = z
  .object({
    /** The answer as it was understood. */
    value: z.string(),
    label: z.string().nullable(),
    /** `kept` if no process executes the run: the next resume finds the answer. */
    delivery: z.enum(['taken', 'kept', 'waiting']),
  })
  .meta({ id: 'AnsweredQuestion' });

export type OpenQuestionJson = z.infer<typeof openQuestionSchema>;
export type AnsweredQuestion = z.infer<typeof answeredSchema>;
