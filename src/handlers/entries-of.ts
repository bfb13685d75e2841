import { z } from 'zod';
import { foundText } from '../graph/values/found-text.js';
import { describeIssue } from './describe-issues.js';

/**
 * Schema for an object as the map of its entries, each checked by a schema. The keys come from authors, and
 * `z.record` would drop one that is called `__proto__`.
 */
export const entriesOf = <Schema extends z.ZodType>(schema: Schema) => {
  const entries = entriesWith(schema);
  itemSchemas.set(entries, { kind: 'entries', schema });
  return entries;
};

/** Schema for a list that may also be written as its only item. Not a union, whose message could not name the wrong entry. */
export const listOf = <List extends z.ZodArray>(list: List) => {
  const items = z.preprocess((value) => (Array.isArray(value) ? value : [value]), list);
  itemSchemas.set(items, { kind: 'list', schema: list });
  return items;
};

/** Schema of the entries or the list within one of the schemas above, which JSON Schema cannot see itself. */
export function itemSchema(
  schema: unknown,
): { readonly kind: 'entries' | 'list'; readonly schema: z.ZodType } | undefined {
  return typeof schema === 'object' && schema !== null ? itemSchemas.get(schema) : undefined;
}

const itemSchemas = new WeakMap<object, { readonly kind: 'entries' | 'list'; readonly schema: z.ZodType }>();

const entriesWith = <Schema extends z.ZodType>(schema: Schema) =>
  z.unknown().transform((value, context): ReadonlyMap<string, z.output<Schema>> => {
    const entries = new Map<string, z.output<Schema>>();
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      context.addIssue({ code: 'custom', message: `expected an object, found ${foundText(value)}` });
      return z.NEVER;
    }
    for (const [key, item] of Object.entries(value)) {
      const parsed = schema.safeParse(item);
      if (parsed.success) entries.set(key, parsed.data);
      else
        for (const issue of parsed.error.issues) {
          const message = describeIssue(issue, item);
          context.addIssue({ code: 'custom', path: [key, ...issue.path], message, params: paramsOf(issue) });
        }
    }
    return entries;
  });

/** Keys that an issue complains about, for readers that point to them. */
function paramsOf(issue: z.core.$ZodIssue): { readonly keys: readonly string[] } | undefined {
  if (issue.code === 'unrecognized_keys') return { keys: issue.keys };
  return issue.code === 'custom' && Array.isArray(issue.params?.keys)
    ? { keys: issue.params.keys }
    : undefined;
}
