import { z } from 'zod';
import { foundText } from '../graph/values/found-text.js';
import { describeIssue } from './describe-issues.js';

/**
 * Schema for an object as the map of its entries, each checked by a schema. The keys come from authors, and
 * `z.record` would drop one that is called `__proto__`.
 */
export const entriesOf = <Schema extends z.ZodType>(schema: Schema) =>
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
          context.addIssue({ code: 'custom', path: [key, ...issue.path], message });
        }
    }
    return entries;
  });
