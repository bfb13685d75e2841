import { z } from 'zod';
import { describeProblems, type PluginProblem } from './describe-problems.js';
import type { Plugin } from './plugin.js';

const name = z.string().refine((text) => /^\S+$/.test(text), 'expected a name without blanks');

/** Object with methods; it may be an instance of a class, so it is checked and never copied. */
function withMethod(...methods: readonly string[]) {
  return z.custom<object>(
    (value) =>
      methods.some((method) => typeof (value as Record<string, unknown> | null)?.[method] === 'function'),
    `expected an object with a function "${methods.join('" or "')}"`,
  );
}

const flag = z.boolean().optional();

const handler = z.strictObject({
  type: name,
  handler: withMethod('execute'),
  title: z.string().optional(),
  summary: z.string().optional(),
  llm: flag,
  instant: flag,
  inheritsOutcome: flag,
  retriesFailure: flag,
  failureReachesConditional: flag,
  ownsTimeout: flag,
});

const rule = z.looseObject({
  name,
  severity: z.enum(['error', 'warning', 'info']),
  summary: z.string(),
  rationale: z.string().optional(),
  apply: z.custom((value) => typeof value === 'function', 'expected a function'),
});

const made = z.looseObject({
  name,
  create: z.custom((value) => typeof value === 'function', 'expected a function'),
});

const plugin = z.strictObject({
  name: z.string().min(1, 'expected a name'),
  handlers: z.array(handler).optional(),
  transforms: z.array(withMethod('apply', 'transform')).optional(),
  rules: z.array(rule).optional(),
  interviewers: z.array(made).optional(),
  backends: z.array(made).optional(),
});

export type CheckedPlugin =
  | { readonly kind: 'plugin'; readonly plugin: Plugin }
  | { readonly kind: 'wrong'; readonly problems: readonly PluginProblem[] };

/**
 * Checks that a module exports a plugin: it may come from code that no compiler has seen (§4.12, §7.4,
 * §9.3).
 */
export function checkPlugin(value: unknown): CheckedPlugin {
  const parsed = plugin.safeParse(value);
  if (parsed.success) return { kind: 'plugin', plugin: value as Plugin };
  const problems = describeProblems(parsed.error, (path) =>
    Object.keys(path.length === 0 ? plugin.shape : handler.shape),
  );
  return { kind: 'wrong', problems };
}
