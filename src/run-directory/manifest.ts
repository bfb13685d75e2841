import path from 'node:path';
import { z } from 'zod';
import type { JsonValue } from '../graph/json.js';
import { describeIssues } from '../handlers/describe-issues.js';
import { entriesOf } from '../handlers/entries-of.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';
import { keptFields } from './recorded-settings.js';
import { describeSystemError, RunError } from './run-error.js';
import { holdsRun, runFiles } from './run-files.js';

/** What was read from JSON needs no second look. */
const jsonValue = z.custom<JsonValue>();

const runParent = z.object({
  run_id: z.string(),
  node_id: z.string(),
  visit: z.number(),
  attempt: z.number(),
  /** Where the visit took the child over from one that had failed: the last event that the child had then. */
  adopted_at: z.number().optional(),
});

/** The attempt of a stage that a child run belongs to (§9.4). */
export type RunParent = Readonly<z.infer<typeof runParent>>;

const manifest = z.object({
  run_id: z.string(),
  name: z.string(),
  goal: z.string(),
  start_time: z.string(),
  /** Where the pipeline was read from; null for a text. */
  source: z.string().nullable(),
  graph_hash: z.string(),
  attractor_version: z.string(),
  /** The values of `--set`. */
  inputs: entriesOf(jsonValue).transform((inputs) => Object.fromEntries(inputs)),
  /** The run that this one is a child of (§9.4). */
  parent_run: z.string().nullable(),
  /** Of a child: which attempt of which stage of the parent it belongs to. */
  parent: runParent.optional(),
  /** Of a child: how many runs there are above it, and how many there may be above any run. */
  depth: z.number().optional(),
  max_depth: z.number().optional(),
  /** Where the run was started; tools run there. */
  working_directory: z.string(),
  /** Of a run whose files git keeps: where they come from. */
  git: z.object({ repository: z.string(), subdirectory: z.string(), base: z.string() }).optional(),
  /** The run that this one was forked from, and the last event that both have. */
  forked_from: z.object({ run_id: z.string(), seq: z.number() }).optional(),
  /** Where the stages keep their files since the latest restart, relative to the run directory (SEMANTICS 36). */
  active_directory: z.string().optional(),
  /** How the run was started, so that resuming it needs no repetition of the call. */
  options: z.object({
    ...keptFields,
    /** Whether a backend does the work of LLM stages; without one they are simulated (DESIGN §5). */
    has_backend: z.boolean().optional(),
    /** Of the types that stages have, those that the program which started the run has handlers for. */
    handler_types: z.array(z.string()).optional(),
  }),
});

/**
 * `manifest.json`: what a run is, fixed when it starts (§5.6, DESIGN §4), but for the active directory, and for the script,
 * the seed and whether it is simulated, which whoever resumes it may replace.
 */
export type Manifest = z.infer<typeof manifest>;

/** @throws RunError `run_not_found`, `run_damaged` or `storage` */
export function readManifest(directory: string, fileSystem: FileSystem = nodeFileSystem): Manifest {
  const file = path.join(directory, runFiles.manifest);
  let text: string;
  try {
    text = fileSystem.readFile(file).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new RunError('storage', `${file} cannot be read: ${describeSystemError(error)}`, {
        cause: error,
      });
    }
    if (holdsRun(directory, fileSystem))
      throw damagedManifest(directory, 'it is missing, although there is a journal');
    throw new RunError('run_not_found', `${directory} holds no run (it has no ${runFiles.manifest})`);
  }
  const value = parseJson(text);
  if (value === undefined) throw damagedManifest(directory, 'it is not JSON');
  const parsed = manifest.safeParse(value);
  if (!parsed.success) throw damagedManifest(directory, describeIssues(parsed.error, value));
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is said of a manifest that cannot be as it was written. */
export function damagedManifest(directory: string, what: string): RunError {
  return new RunError(
    'run_damaged',
    `${path.join(directory, runFiles.manifest)} is damaged: ${what}. Restore the file from a copy, or start a new run`,
  );
}
