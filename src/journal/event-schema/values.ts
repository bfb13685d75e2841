import { z } from 'zod';
import { fidelityModes } from '../../graph/attribute-tables/attribute-definition.js';
import type { JsonValue } from '../../graph/json.js';
import { stageStatuses } from '../../graph/stage-status.js';
import { failureCategories } from '../../machine/failure-category.js';

/** Accepts any value, because whatever was read from JSON is JSON. */
const jsonValue = z.custom<JsonValue>();

/** Text with a description. */
export const text = (description: string) => z.string().meta({ description });

/** 0, 1, 2, … */
export const count = (description: string) => z.int().min(0).meta({ description });

/** 1, 2, 3, … */
export const ordinal = (description: string) => z.int().min(1).meta({ description });

export const milliseconds = (description: string) => z.number().min(0).meta({ description });

/** Commit id; only in a run with git. */
export const commit = (description: string) =>
  z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
    .optional()
    .meta({ description });

/** Flag that is either true or missing. */
export const flag = (description: string) => z.literal(true).optional().meta({ description });

/** Values in an order. */
export const valueList = (description: string) => z.array(jsonValue).meta({ description });

/** Values by the names that an author gave them. */
export const valuesByKey = (description: string) => z.record(z.string(), jsonValue).meta({ description });

export const fidelity = z.enum(fidelityModes);

export const stageStatus = z.enum(stageStatuses);

export const failureCategory = z.enum(failureCategories);

/** Reference to a file of the run. */
const fileReference = z
  .object({
    $file: text('Path in the run directory when the stage ended; a later visit moves the file.'),
    sha256: text('SHA-256 of the content, in hexadecimal.'),
    bytes: z.number().int().nonnegative().meta({ description: 'Size of the file, in bytes.' }),
  })
  .meta({
    id: 'FileReference',
    title: 'File reference',
    description: 'A file of the run, identified by its content.',
  });

/** Outcome that a handler returned (§5.2, Appendix C). */
export const outcome = z
  .object({
    status: stageStatus.meta({ description: 'Status in which the stage ended.' }),
    preferred_label: text('The label of the edge to follow.').optional(),
    suggested_next_ids: z
      .array(z.string())
      .optional()
      .meta({ description: 'Ids of preferred next nodes, best first.' }),
    context_updates: valuesByKey('Values to merge into the context after the stage.').optional(),
    assigned: valuesByKey('Values of `assign.*`, merged after `context_updates`.').optional(),
    notes: text('Summary of the work, for people.').optional(),
    failure_reason: text('Reason for the failure or for the requested retry.').optional(),
    reported: stageStatus.optional().meta({
      description:
        'Status that the stage reported before a rule of its node (`fail_when`, `writes`) turned it into a failure.',
    }),
    retryable: z
      .boolean()
      .optional()
      .meta({ description: 'True if another attempt may help after a failure. Missing if unknown.' }),
    failure_category: failureCategory
      .optional()
      .meta({ description: 'Category of the failure. Missing if unknown.' }),
    retry_after_ms: milliseconds(
      'Pause before the next attempt that the failed service requested (`Retry-After`), in milliseconds.',
    ).optional(),
    custom_outcome: text('Custom outcome that the stage returned instead of a status.').optional(),
    response: fileReference.optional().meta({ description: 'The whole response of an LLM stage.' }),
    output: fileReference.optional().meta({ description: 'The whole standard output of a tool.' }),
    artifacts: z
      .array(z.string())
      .optional()
      .meta({ description: 'Ids of the artifacts that the stage stored.' }),
  })
  .meta({ id: 'Outcome', title: 'Outcome', description: 'Outcome of a stage.' });

const questionOption = z
  .object({
    key: text('Key to type to choose it.'),
    label: text('Text of the choice.'),
  })
  .meta({ id: 'QuestionOption', title: 'Question option', description: 'A choice that a question offers.' });

/** An answer (§6.3). */
export const answer = z
  .object({
    value: text(
      '`YES`, `NO`, `SKIPPED`, `TIMEOUT`, or what the person entered: the key of an option, or free text.',
    ),
    selected_option: questionOption.optional().meta({ description: 'The option that was chosen.' }),
    text: text('Text that the person wrote.').optional(),
    by_default: flag('Set if nobody answered in time and the default of the question was used.'),
  })
  .meta({ id: 'Answer', title: 'Answer', description: 'The answer to a question.' });

/** A question to a person (§6.2). */
export const question = z
  .object({
    id: text('Unique in the run.'),
    text: text('The question.'),
    type: z
      .enum(['YES_NO', 'MULTIPLE_CHOICE', 'FREEFORM', 'CONFIRMATION'])
      .meta({ description: 'Kind of answer expected.' }),
    options: z.array(questionOption).meta({ description: 'The choices; empty if any text is accepted.' }),
    words: z
      .enum(['optional', 'required'])
      .optional()
      .meta({ description: 'Set if the person may or must also write a text.' }),
    default: answer.optional().meta({ description: 'Answer used if nobody answers in time.' }),
    timeout_seconds: z
      .number()
      .min(0)
      .optional()
      .meta({ description: 'Time to wait for an answer, in seconds.' }),
    stage: text('Id of the node that asks.'),
    metadata: valuesByKey('Further data for programs.').optional(),
  })
  .meta({ id: 'Question', title: 'Question', description: 'A question to a person.' });

/** Fields of events that may happen in a parallel branch (SEMANTICS 94). */
export const inBranch = {
  branch: text('Id of the parallel branch of the event. Missing outside of branches.').optional(),
};
