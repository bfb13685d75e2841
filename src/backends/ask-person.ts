import { z } from 'zod';
import { nodeAttribute } from '../graph/attributes.js';
import type { Node } from '../graph/graph.js';
import { describeIssues } from '../handlers/describe-issues.js';
import type { QuestionDraft } from '../handlers/question-draft.js';
import type { Answer, QuestionOption } from '../machine/interview.js';

/** Tool by which the model of a stage with `interactive=true` asks a person (SEMANTICS 129). */
export const askPersonTool = 'ask_person';

export const askPersonDescription =
  'Asks a person a question, and waits for the answer, perhaps for hours. Ask only for what you cannot find out yourself and must not assume; put all that the person needs to know into the question.';

export const askPersonInput = z.strictObject({
  question: z.string().trim().min(1).describe('The question, complete: the person sees nothing else.'),
  options: z
    .array(z.string().trim().min(1))
    .min(2)
    .max(26)
    .refine((labels) => new Set(labels).size === labels.length, 'expected options that differ')
    .optional()
    .describe('Answers to choose from; without them the person writes a text.'),
});

export type AskPersonInput = z.output<typeof askPersonInput>;

/** Description of the tool for an agent, with the JSON Schema of its input. */
export function askPersonDefinition(): {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
} {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(askPersonInput, { io: 'input' });
  return { name: askPersonTool, description: askPersonDescription, inputSchema };
}

/** True if the model of a stage may ask a person. */
export function isInteractive(node: Node): boolean {
  return nodeAttribute(node, 'interactive');
}

/** Input of a call, or its problem in words for the model. */
export type AskPersonReading =
  | { readonly kind: 'question'; readonly input: AskPersonInput }
  | { readonly kind: 'invalid'; readonly problem: string };

export function readAskPerson(input: unknown): AskPersonReading {
  const read = askPersonInput.safeParse(input);
  return read.success
    ? { kind: 'question', input: read.data }
    : { kind: 'invalid', problem: describeIssues(read.error, input) };
}

/** @param key identity of the question in its attempt */
export function personQuestion({ question: text, options }: AskPersonInput, key: string): QuestionDraft {
  return options === undefined
    ? { key, text, type: 'FREEFORM', words: 'required' }
    : { key, text, type: 'MULTIPLE_CHOICE', options: optionsOf(options), words: 'optional' };
}

/** Options with letters, or with numbers where a letter is an answer itself. */
function optionsOf(labels: readonly string[]): readonly QuestionOption[] {
  const isLetter = labels.some((label) => /^[A-Za-z]$/.test(label));
  return labels.map((label, index) => ({
    key: isLetter ? String(index + 1) : String.fromCharCode(65 + index),
    label,
  }));
}

/** Answer in words for the model. */
export function answerInWords({ value, selected_option: selected, text = '' }: Answer): string {
  if (value === 'SKIPPED') return 'The person did not answer this question. Continue without an answer.';
  if (selected === undefined) return text === '' ? value : text;
  return text === '' ? selected.label : `${selected.label}\n\n${text}`;
}
