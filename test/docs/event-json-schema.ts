import { z } from 'zod';
import { eventSchemas } from '../../src/journal/event-schemas.js';

/** A schema of JSON Schema 2020-12, as far as events need one. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** Every event as JSON Schema: open, because a later version may say more. */
export function eventJsonSchema(): JsonSchema {
  const [first, ...others] = Object.values(eventSchemas());
  if (first === undefined) throw new Error('there are no events');
  const { $schema, $defs, ...union } = z.toJSONSchema(z.discriminatedUnion('type', [first, ...others]), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // What follows from the type or the format makes nobody wiser.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      delete jsonSchema.propertyNames;
    },
  }) as JsonSchema;
  const definitions = Object.entries($defs ?? {}).map(
    ([name, schema]) => [name, withTitles(schema)] as const,
  );
  return {
    ...($schema !== undefined && { $schema }),
    title: 'Event of a run of attractor',
    description: 'One line of `events.jsonl`, the journal of a run.',
    ...union,
    $defs: Object.fromEntries(definitions),
  };
}

/** A field is called as people would say it. */
function withTitles({ title, description, properties = {}, ...rest }: JsonSchema): JsonSchema {
  const titled = Object.entries(properties).map(([name, field]) => [
    name,
    { title: titleOf(name), ...field },
  ]);
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...rest,
    properties: Object.fromEntries(titled),
  };
}

function titleOf(name: string): string {
  const words = name.replace('$', '').replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
