import type { Context } from 'hono';
import { z } from 'zod';
import { describeIssues } from '../../handlers/describe-issues.js';
import { ProblemError } from '../problem-error.js';

/**
 * The query of a request. What the operation does not know is an error: a filter with a typo would silently list everything.
 * @throws ProblemError `bad_request`
 */
export function readQuery<Schema extends z.ZodObject>(context: Context, schema: Schema): z.output<Schema> {
  const given = context.req.queries();
  for (const [name, values] of Object.entries(given)) {
    if (values.length > 1) throw new ProblemError('bad_request', `${name} is in the query more than once`);
  }
  const values = Object.fromEntries(Object.entries(given).map(([name, [value = '']]) => [name, value]));
  const read = z.strictObject(schema.shape).safeParse(values);
  if (read.success) return read.data as z.output<Schema>;
  throw new ProblemError('bad_request', `the query: ${describeIssues(read.error, values)}`);
}
