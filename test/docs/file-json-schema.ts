import { z } from 'zod';
import { itemSchema } from '../../src/handlers/entries-of.js';

/** Part of a JSON Schema. */
export type Schema = Record<string, unknown>;

/** Schema of a file for an editor, with the shapes of maps and of lists with one item, which the checks take apart themselves. */
function jsonSchemaOf(schema: z.ZodType): Schema {
  const { $schema: _, ...written } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      const item = itemSchema(zodSchema);
      if (item === undefined) return;
      const inner = jsonSchemaOf(item.schema);
      if (item.kind === 'entries') Object.assign(jsonSchema, { type: 'object', additionalProperties: inner });
      else {
        for (const key of Object.keys(jsonSchema)) if (key !== 'description') delete jsonSchema[key];
        Object.assign(jsonSchema, { anyOf: [inner, inner.items] });
      }
    },
  });
  return written;
}

/** Schema of a whole file, with its title. */
export function fileSchemaOf(schema: z.ZodType, title: string, description: string): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    description,
    ...jsonSchemaOf(schema),
  };
}
