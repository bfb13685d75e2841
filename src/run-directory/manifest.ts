import path from 'node:path';
import { z } from 'zod';
import type { JsonValue } from '../graph/json.js';
import { describeIssues } from '../handlers/describe-issues.js';
import { entriesOf } from '../handlers/entries-of.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';
import { keptFields } from './recorded-settings.js';
import { describeSystemError, RunError } from './run-error.js';
import { holdsRun, runFiles } from './run-files.js';

/** Accepts any value: whatever was read from JSON is JSON. */
const jsonValue = z.custom<JsonValue>();

const runParent = z.object({
  run_id: z.string(),
  node_id: z.string(),
  visit: z.number(),
  attempt: z.number(),
  /** Last event of the child when the visit adopted it from one that had failed. */
  adopted_at: z.number().optional(),
});

/** Attempt of a stage that a child run belongs to (§9.4). */
export type RunParent = Readonly<z.infer<typeof runParent>>;

const manifest = z.object({
  run_id: z.string(),
  name: z.string(),
  goal: z.string(),
  start_time: z.string(),
  /** File of the pipeline; null for a text. */
  source: z.string().nullable(),
  graph_hash: z.string(),
  attractor_version: z.string(),
  /** Values of `--set`. */
  inputs: entriesOf(jsonValue).transform((inputs) => Object.fromEntries(inputs)),
  /** Run that this one is a child of (§9.4). */
  parent_run: z.string().nullable(),
  /** Attempt of the parent's stage to which a child belongs. */
  parent: runParent.optional(),
  /** Number of runs above a child; `max_depth` is the limit for any run. */
  depth: z.number().optional(),
  max_depth: z.number().optional(),
  /** True if workers of a cluster execute the run, wherever copies of its directory are. */
  in_cluster: z.literal(true).optional(),
  /** Directory in which the run was started; tools run there. */
  working_directory: z.string(),
  /** Origin of the files of a run that git keeps. */
  git: z
    .object({
      repository: z.string(),
      subdirectory: z.string(),
      base: z.string(),
      /** URL of the repository to which the commits of the run are pushed. */
      remote: z.string().optional(),
      /** Runs whose branches there have the commits from before this fork, the nearest first. */
      history_of: z.array(z.string()).optional(),
    })
    .optional(),
  /** Run that this one was forked from, and the last event that both have. */
  forked_from: z.object({ run_id: z.string(), seq: z.number() }).optional(),
  /**
   * Directory of the stages' files since the latest restart, relative to the run directory (SEMANTICS 36).
   */
  active_directory: z.string().optional(),
  /** Warnings about the call that started the run, for the beginning of its log. */
  warnings: z.array(z.string()).optional(),
  /** Options with which the run was started, so that resuming it needs no repetition of the call. */
  options: z.object({
    ...keptFields,
    /** True if a backend does the work of LLM stages; without one they are simulated (DESIGN §5). */
    has_backend: z.boolean().optional(),
    /** Types of the stages for which the program that started the run has handlers. */
    handler_types: z.array(z.string()).optional(),
  }),
});

/**
 * `manifest.json`: the identity of a run, fixed when it starts (§5.6, DESIGN §4), except for the active
 * directory, for the script, the seed and the simulation, which a resume may replace, and for the place of a
 * child that another visit takes over.
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
    throw new RunError('run_not_found', `${directory} contains no run (it has no ${runFiles.manifest})`);
  }
  return parseManifest(text, directory);
}

/**
 * Reads the text of a manifest.
 * @param directory the run directory, for messages
 * @throws RunError `run_damaged`
 */
export function parseManifest(text: string, directory: string): Manifest {
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

/** Error for a manifest that cannot be as it was written. */
export function damagedManifest(directory: string, what: string): RunError {
  return new RunError(
    'run_damaged',
    `${path.join(directory, runFiles.manifest)} is damaged: ${what}. Restore the file from a copy, or start a new run`,
  );
}

/** Runs whose branches on the remote have the commits from before a fork, the nearest first; none for any other run. */
export function historyOf({
  git,
  forked_from: source,
}: Pick<Manifest, 'git' | 'forked_from'>): readonly string[] {
  // Forks of earlier versions name only the run that they come from.
  return git?.history_of ?? (source === undefined ? [] : [source.run_id]);
}
