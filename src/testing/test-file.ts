import { z } from 'zod';
import type { JsonValue } from '../graph/json.js';
import { entriesOf, listOf } from '../handlers/entries-of.js';
import {
  emptyScript,
  type SimulationScript,
  scriptEntryKeys,
  scriptSchema,
} from '../run-directory/simulation-script.js';

/** Cases of a pipeline, as `<name>.test.yaml` has them. */
export interface TestFile {
  /** Path of the pipeline, relative to the file; by default the `.dot` file of the same name. */
  readonly pipeline?: string | undefined;
  readonly cases: readonly TestCase[];
}

/** A simulation, and what is expected of it. */
export interface TestCase {
  readonly name: string;
  /** True for a case that `attractor test --generate` wrote, and may replace. */
  readonly generated?: boolean | undefined;
  readonly inputs?: ReadonlyMap<string, JsonValue> | undefined;
  readonly script: SimulationScript;
  readonly seed?: number | undefined;
  readonly max_steps?: number | undefined;
  readonly strict_values?: boolean | undefined;
  readonly custom_outcomes?: boolean | undefined;
  readonly expect: Expectations;
}

/** Inputs of a case; those of its script are below its own. */
export function inputsOfCase({
  inputs = new Map(),
  script,
}: Pick<TestCase, 'inputs' | 'script'>): ReadonlyMap<string, JsonValue> {
  return new Map([...Object.entries(script.inputs ?? {}), ...inputs]);
}

/** Ends of a simulation that a case may expect. */
export const expectedStatuses = ['success', 'fail', 'paused'] as const;

/** Expectations of a case; those that it does not mention hold in any case. */
export interface Expectations {
  readonly status: (typeof expectedStatuses)[number];
  /** Text in the reason of the failure. */
  readonly failure?: string | undefined;
  readonly path?: PathExpectation | undefined;
  /** Number of visits by node. */
  readonly visits?: ReadonlyMap<string, number> | undefined;
  /** Values at the end, by key; null for one that is not set. */
  readonly context?: ReadonlyMap<string, JsonValue> | undefined;
  /** Texts that a prompt of a stage contains, by node. */
  readonly prompts?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Stages that ask a person, in the order of their questions. */
  readonly asked?: readonly AskedExpectation[] | undefined;
  /** Most that the run may cost, in US dollars. */
  readonly cost_at_most?: number | undefined;
}

/** Expectations about the visited nodes, in their order. */
export interface PathExpectation {
  /** The whole path. */
  readonly is?: readonly string[] | undefined;
  readonly contains?: readonly string[] | undefined;
  readonly excludes?: readonly string[] | undefined;
  /** Nodes that come one after another, with others between them. */
  readonly in_order?: readonly string[] | undefined;
}

export interface AskedExpectation {
  readonly stage: string;
  /** Text in the question. */
  readonly text?: string | undefined;
}

const json = z.custom<JsonValue>((value) => value !== undefined);
const nodeIds = z.array(z.string());

const path = z
  .preprocess(
    (value) => (Array.isArray(value) ? { is: value } : value),
    z.strictObject({
      is: nodeIds.optional().describe('The whole path. A list in place of the object means the same.'),
      contains: listOf(nodeIds).optional().describe('Nodes that are visited, in any order.'),
      excludes: listOf(nodeIds).optional().describe('Nodes that are not visited.'),
      in_order: nodeIds.optional().describe('Nodes visited one after another; others may come between.'),
    }),
  )
  .describe('Visited nodes, one entry for each visit, start and exit included.');

const asked = z.preprocess(
  (value) => (typeof value === 'string' ? { stage: value } : value),
  z.strictObject({ stage: z.string(), text: z.string().optional().describe('Text in the question.') }),
);

const expectations = z.strictObject({
  status: z.enum(expectedStatuses).default('success').describe('End of the run.'),
  failure: z.string().optional().describe('Text in the reason of the failure.'),
  path: path.optional(),
  visits: entriesOf(z.number().int().nonnegative()).optional().describe('Number of visits, by node.'),
  context: entriesOf(json).optional().describe('Values at the end, by key; null for a key that is not set.'),
  prompts: entriesOf(listOf(z.array(z.string())))
    .optional()
    .describe('Texts that a prompt of the stage contains, by node. A prompt has its values, but no history.'),
  asked: z.array(asked).optional().describe('Stages that ask a person, in the order of their questions.'),
  cost_at_most: z
    .number()
    .nonnegative()
    .optional()
    .describe('Most that the run may cost in US dollars, as `attractor cost` estimates it.'),
});

const testCase = z.strictObject({
  name: z.string().min(1).describe('Unique in the file.'),
  generated: z
    .boolean()
    .optional()
    .describe(
      'True for a case that `attractor test --generate` wrote, and replaces. Remove it to keep the case.',
    ),
  inputs: entriesOf(json).optional().describe('Inputs of the run, by name.'),
  script: scriptSchema
    .default(emptyScript as z.output<typeof scriptSchema>)
    .describe('Outcomes by node, and answers by gate, as `attractor run --script` reads them.'),
  seed: z.number().int().nonnegative().optional().describe('Random seed.'),
  max_steps: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('Limit of stages, instead of that of the pipeline.'),
  strict_values: z.boolean().optional().describe('Fails a stage whose `${…}` value is missing.'),
  custom_outcomes: z.boolean().optional().describe('Allows outcomes of other names, which count as success.'),
  expect: expectations.default({ status: 'success' }),
});

/** Schema of a test file. */
export const testFileSchema: z.ZodType<TestFile> = z.strictObject({
  pipeline: z
    .string()
    .optional()
    .describe('The pipeline, relative to this file; by default the `.dot` file of the same name.'),
  cases: z.array(testCase).min(1),
});

/** Keys that an object of a test file may have, by its place; undefined for one whose keys are the author's. */
export function keysAt(place: readonly PropertyKey[]): readonly string[] | undefined {
  const [, , part, inner, ...rest] = place;
  if (place.length === 0) return ['pipeline', 'cases'];
  if (part === undefined) return Object.keys(testCase.shape);
  if (part === 'expect') {
    if (inner === undefined) return Object.keys(expectations.shape);
    return inner === 'path' ? ['is', 'contains', 'excludes', 'in_order'] : ['stage', 'text'];
  }
  if (part !== 'script') return undefined;
  if (inner === undefined) return Object.keys(scriptSchema.shape);
  return inner === 'answers' || rest.length === 0 ? ['choice', 'text'] : scriptEntryKeys;
}
