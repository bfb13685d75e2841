import type { Context } from 'hono';
import { z } from 'zod';
import { describeIssues } from '../../handlers/describe-issues.js';
import { ProblemError } from '../problem-error.js';

/**
 * The query of a request; a list is a name that is given more than once. What the operation does not know is an error: a filter with a typo would silently list everything.
 * @throws ProblemError `bad_request`
 */
export function readQuery<Schema extends z.ZodObject>(context: Context, schema: Schema): z.output<Schema> {
  const given = context.req.queries();
  const isList = (name: string): boolean => schema.shape[name] instanceof z.ZodArray;
  for (const [name, values] of Object.entries(given)) {
    if (values.length > 1 && !isList(name))
      throw new ProblemError('bad_request', `${name} is in the query more than once`);
  }
  const values = Object.fromEntries(
    Object.entries(given).map(([name, values]) => [name, isList(name) ? values : (values[0] ?? '')]),
  );
  const read = z.strictObject(schema.shape).safeParse(values);
  if (read.success) return read.data as z.output<Schema>;
  throw new ProblemError('bad_request', `the query: ${describeIssues(read.error, values)}`);
}
