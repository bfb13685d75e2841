import { z } from 'zod';

type Json = { readonly [key: string]: unknown };

/** The schemas of a description: each that has a name once, and referred to by it (JSON Schema 2020-12). */
export class SchemaBook {
  readonly #named = new Map<string, Json>();
  readonly #known = new Map<z.ZodType, Json>();

  /** Reference in place of a schema. */
  reference(schema: z.ZodType): Json {
    const known = this.#known.get(schema) ?? this.#read(schema);
    this.#known.set(schema, known);
    return known;
  }

  #read(schema: z.ZodType): Json {
    const {
      $defs = {},
      $schema: _,
      ...json
    } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json & {
      readonly $defs?: Readonly<Record<string, Json>>;
    };
    const isAnyJson = (name: string): boolean => /^__schema\d+$/.test(name) && isJsonValue($defs[name]);
    for (const [name, definition] of Object.entries($defs)) {
      if (!isAnyJson(name) && !this.#named.has(name)) {
        this.#named.set(name, rewritten(definition, isAnyJson) as Json);
      }
    }
    const id = z.globalRegistry.get(schema)?.id;
    if (id === undefined) return rewritten(json, isAnyJson) as Json;
    // A named schema at the top is given as it is, and not by its name.
    if (!('$ref' in json)) this.#named.set(id, rewritten(json, isAnyJson) as Json);
    return { $ref: `#/components/schemas/${id}` };
  }

  all(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#named].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** Any JSON value is a union of six that refers to itself; to say nothing says the same. */
function isJsonValue(schema: Json | undefined): boolean {
  const kinds = schema?.anyOf;
  return Array.isArray(kinds) && kinds.length === 6;
}

/** Without the bounds that every number in JSON has. */
function rewritten(value: unknown, isAnyJson: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => rewritten(one, isAnyJson));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: reference, id: _, ...others } = value as Json;
  if (typeof reference !== 'string') {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rewritten(part, isAnyJson)]));
  }
  const name = reference.replace('#/$defs/', '');
  if (isAnyJson(name)) return { ...others };
  return { ...others, $ref: `#/components/schemas/${name}` };
}
