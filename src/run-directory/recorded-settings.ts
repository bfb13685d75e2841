import { z } from 'zod';
import { foundText } from '../graph/values/found-text.js';
import { describeIssue } from '../handlers/describe-issues.js';
import { extensionRecord } from './extension-record.js';
import {
  type FieldKind,
  type FieldName,
  fieldList,
  type RecordedField,
  type RecordedSettings,
  type RequestBody,
  type recordedFields,
  type SnakeCase,
  snakeCase,
} from './recorded-fields.js';
import { type SimulationScript, scriptSchema } from './simulation-script.js';

/** Check of an option that a program gives. */
interface GivenKind {
  readonly accepts: (value: unknown) => boolean;
  /** Expectation, as in "must be …". */
  readonly expected: string;
  /** Hint after the value that was found. */
  readonly hint?: string;
}

const givenKinds: Readonly<Record<FieldKind, GivenKind>> = {
  switch: { accepts: (value) => typeof value === 'boolean', expected: 'true or false' },
  count: { accepts: (value) => isWhole(value, 1), expected: 'a whole number of at least 1' },
  whole: { accepts: (value) => isWhole(value, 0), expected: 'a whole number of at least 0' },
  budget: { accepts: isBudget, expected: 'a number of at least 0, or "none"' },
  stage_budgets: {
    accepts: (value) => stageBudgets.safeParse(value).success,
    expected: 'an object of budgets by node id',
    hint: ': { plan: { usd: 2.5, tokens: 80000 } }',
  },
  text: { accepts: (value) => typeof value === 'string', expected: 'a string' },
  directory: {
    accepts: (value) => typeof value === 'string' && value.trim() !== '',
    expected: 'the path of a directory',
  },
  // It becomes the name of a directory, of a branch of git, and a part of the ids of questions.
  run_id: {
    accepts: (value) => typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/.test(value),
    expected: 'made of letters, digits, "-" and "_", and begin with a letter or digit',
  },
  script: { accepts: isScript, expected: 'a result of readScript' },
  answers: {
    accepts: isMapOfLists,
    expected: 'a Map from node ids to lists of strings',
    hint: ': new Map([["gate", ["A"]]])',
  },
  // Their reader reports mistakes.
  inputs: { accepts: () => true, expected: 'an object' },
  extensions: {
    accepts: (value) => typeof value === 'object' && value !== null,
    expected: 'a record of plugins and settings',
  },
};

function isBudget(value: unknown): boolean {
  return value === 'none' || (typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY);
}

function isWhole(value: unknown, least: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

function isScript(value: unknown): boolean {
  const { nodes, answers } = (value ?? {}) as Partial<SimulationScript>;
  return isMapOfLists(nodes) && isMapOfLists(answers);
}

function isMapOfLists(value: unknown): boolean {
  return value instanceof Map && [...value.values()].every((entry) => Array.isArray(entry));
}

/** Schema of an option that a program gives; the message of its issue is a whole sentence. @internal */
export function givenOption<Value>(name: string, { accepts, expected, hint = '' }: GivenKind) {
  return z.custom<Value>((value) => value === undefined || accepts(value), {
    error: ({ input }) => `the option "${name}" must be ${expected}, not ${foundText(input)}${hint}`,
  });
}

/** Recorded part of the settings of a run, as a program gives it. @internal */
export const recordedSettings = z.object(
  Object.fromEntries(
    fieldList.map(([name, { kind }]): [string, z.ZodType] => [
      name,
      givenOption(name, givenKinds[kind]).optional(),
    ]),
  ) as { [Name in FieldName]: z.ZodType<RecordedSettings[Name]> },
);

/** Script as it is stored; an invalid one is a damage of the manifest. */
const keptScript = z.unknown().superRefine((value, context) => {
  for (const issue of scriptSchema.safeParse(value).error?.issues ?? []) {
    context.addIssue({ code: 'custom', message: describeIssue(issue, value), path: [...issue.path] });
  }
});

const budget = z.union([z.number().nonnegative(), z.literal('none')]);

const stageBudgets = z.record(
  z.string(),
  z.strictObject({ usd: budget.optional(), tokens: z.int().nonnegative().optional() }),
);

const jsonSchemas = {
  switch: z.boolean(),
  count: z.number().int().positive(),
  whole: z.number().int().nonnegative(),
  budget,
  stage_budgets: stageBudgets,
  text: z.string(),
  extensions: extensionRecord,
} satisfies Partial<Record<FieldKind, z.ZodType>>;

const keptSchemas = { ...jsonSchemas, script: keptScript };
const bodySchemas = { ...jsonSchemas, script: z.json(), inputs: z.record(z.string(), z.json()) };

type Fields = typeof recordedFields;
type SchemaOf<Schemas, Kind> = Kind extends keyof Schemas ? Schemas[Kind] : never;

type KeptShape = {
  [Name in FieldName as Fields[Name] extends { kept: infer Kept }
    ? Kept extends 'replay_of'
      ? Kept
      : SnakeCase<Name>
    : never]: Fields[Name] extends { kept: 'always' }
    ? SchemaOf<typeof keptSchemas, Fields[Name]['kind']>
    : z.ZodOptional<SchemaOf<typeof keptSchemas, Fields[Name]['kind']>>;
};

/** Key of a field among the options of the manifest; undefined for one that is not stored there. */
export function keptKey(name: FieldName, { kept }: RecordedField): string | undefined {
  return kept === undefined || kept === 'replay_of' ? kept : snakeCase(name);
}

/** Fields of the manifest, by their keys there. @internal */
export const keptFields = Object.fromEntries(
  fieldList.flatMap(([name, field]) => {
    const key = keptKey(name, field);
    if (key === undefined) return [];
    const schema: z.ZodType = schemaFor(keptSchemas, name, field.kind);
    return [[key, field.kept === 'always' ? schema : schema.optional()]];
  }),
) as KeptShape;

type BodyShape<Body extends RequestBody> = {
  [Name in FieldName as Fields[Name] extends { bodies: readonly (infer Taken)[] }
    ? Body extends Taken
      ? SnakeCase<Name>
      : never
    : never]: z.ZodOptional<SchemaOf<typeof bodySchemas, Fields[Name]['kind']>>;
};

/** Fields that an HTTP body takes, by their names there. @internal */
export function bodyFields<Body extends RequestBody>(body: Body): BodyShape<Body> {
  const taken = fieldList.filter(([, { bodies }]) => bodies?.includes(body));
  return Object.fromEntries(
    taken.map(([name, { kind }]) => [snakeCase(name), schemaFor(bodySchemas, name, kind).optional()]),
  ) as BodyShape<Body>;
}

function schemaFor(schemas: Readonly<Partial<Record<FieldKind, z.ZodType>>>, name: string, kind: FieldKind) {
  const schema = schemas[kind];
  if (schema === undefined) throw new Error(`the field "${name}" has a kind without JSON: "${kind}"`);
  return schema;
}

/** Options of a run in an HTTP body, without its script, which is still JSON. */
export function optionsOfBody(
  kind: RequestBody,
  body: Readonly<Record<string, unknown>>,
): Omit<RecordedSettings, 'script'> {
  const taken = fieldList.filter(([name, { bodies }]) => name !== 'script' && bodies?.includes(kind));
  return Object.fromEntries(taken.map(([name]) => [name, body[snakeCase(name)]]));
}
