import { z } from 'zod';
import { parseDuration } from '../graph/coerce.js';
import type { Inputs } from '../graph/values/declared-inputs.js';
import { describeIssue } from '../handlers/describe-issues.js';
import { entriesOf, listOf } from '../handlers/entries-of.js';
import { outcomeDetails, statusSchema } from '../handlers/read-outcome.js';
import type { Outcome, StageStatus } from '../machine/outcome.js';
import { RunError } from './run-error.js';

const delay = z.union([z.number(), z.string()]).transform((value, context) => {
  // A number is in seconds, and need not be a whole one.
  const milliseconds = typeof value === 'number' ? 1000 * value : parseDuration(value)?.milliseconds;
  if (milliseconds !== undefined && milliseconds >= 0) return milliseconds;
  context.addIssue({
    code: 'custom',
    message: 'expected a duration such as 50ms, 2s or 0.5, which is seconds',
  });
  return z.NEVER;
});

const entry = z.strictObject({
  outcome: statusSchema.default('success'),
  ...outcomeDetails,
  preferred_next_label: z.string().optional(),
  response: z.string().optional(),
  delay: delay.optional(),
  throw: z.string().optional(),
});

/** Keys of an entry of a node. */
export const scriptEntryKeys: readonly string[] = Object.keys(entry.shape);

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** An answer as it is typed: `CHOICE<TAB>text` for a gate that asks for a text (SEMANTICS 109). */
const answer = z.union([
  scalar,
  z
    .strictObject({ choice: scalar.optional(), text: z.string() })
    .transform(({ choice, text }) => (choice === undefined ? text : `${choice}\t${text}`)),
]);

/** Schema of a script in JSON or YAML. @internal */
export const scriptSchema = z.strictObject({
  inputs: z
    .record(z.string(), z.unknown())
    .transform((values) => values as Inputs)
    .optional(),
  nodes: entriesOf(listOf(z.array(entry).min(1))).default(new Map()),
  answers: entriesOf(listOf(z.array(answer))).default(new Map()),
});

/**
 * Scripted result of an attempt instead of its handler's (DESIGN §5), in the words of the status file
 * (Appendix C).
 */
export interface ScriptEntry extends Partial<Omit<Outcome, 'status' | 'response' | 'output'>> {
  readonly outcome: StageStatus;
  readonly preferred_next_label?: string;
  /** Answer of an LLM stage. */
  readonly response?: string;
  /** Delay in milliseconds. */
  readonly delay?: number;
  /** Message of an error to be thrown. */
  readonly throw?: string;
}

/** Scripted outcomes and answers by node id (DESIGN §5). */
export interface SimulationScript {
  /** Inputs of the run, where the call does not give others. */
  readonly inputs?: Inputs | undefined;
  /**
   * One entry for each attempt, in order; the last one repeats. `<node>/<node>` is a stage of the pipeline
   * that a node runs.
   */
  readonly nodes: ReadonlyMap<string, readonly ScriptEntry[]>;
  /** One entry for each question, in order; after the last one a question stays unanswered (SEMANTICS 86). */
  readonly answers: ReadonlyMap<string, readonly string[]>;
}

export const emptyScript: SimulationScript = { nodes: new Map(), answers: new Map() };

/**
 * Checks a script that was read from JSON or YAML.
 * @throws RunError `usage`
 */
export function readScript(value: unknown, name: string): SimulationScript {
  const parsed = scriptSchema.safeParse(value ?? {});
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${placeOf(issue.path)}${describeIssue(issue, value)}`,
    );
    throw new RunError('usage', `the script ${name} cannot be used: ${problems.join('; ')}`);
  }
  return parsed.data;
}

/** Position in a script, for people: `nodes.gate, entry 1, delay: `. */
function placeOf(path: readonly PropertyKey[]): string {
  const [root, key, entry, ...inside] = path.map(String);
  if (root === undefined) return '';
  const place = key === undefined ? root : `${root}.${key}`;
  const at = entry === undefined ? '' : `, entry ${Number(entry) + 1}`;
  const part = inside.length === 0 ? '' : `, ${inside.join('.')}`;
  return `${place}${at}${part}: `;
}

/** Script as plain data for the manifest, from which `readScript` makes the same script again. */
export function scriptToJson({ inputs, nodes, answers }: SimulationScript): object {
  const written = [...nodes].map(([id, entries]) => [id, entries.map(entryToJson)] as const);
  return { inputs, nodes: Object.fromEntries(written), answers: Object.fromEntries(answers) };
}

/** Entry with its delay as text, because a bare number would be read as seconds. */
function entryToJson({ delay: milliseconds, ...rest }: ScriptEntry): object {
  return milliseconds === undefined ? rest : { ...rest, delay: `${milliseconds}ms` };
}
