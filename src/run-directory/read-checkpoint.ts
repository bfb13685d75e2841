import path from 'node:path';
import { z } from 'zod';
import { isRecord, type JsonValue } from '../graph/json.js';
import type { Outcome } from '../machine/outcome.js';
import type { RunStatus } from '../machine/state.js';
import type { Checkpoint } from './checkpoint.js';
import { type FileSystem, nodeFileSystem } from './file-system.js';
import { runFiles } from './run-files.js';

/**
 * Reads the `checkpoint.json` of a run, which another tool may have written (§5.3): `context_values` is
 * read as `context`, and fields beyond §5.3 are optional (SEMANTICS 66a).
 * @returns undefined if there is none, or it cannot be read: it is only a view
 */
export function readCheckpoint(
  directory: string,
  fileSystem: FileSystem = nodeFileSystem,
): Checkpoint | undefined {
  try {
    const text = fileSystem.readFile(path.join(directory, runFiles.checkpoint)).toString('utf8');
    const { context, context_values, ...others } = checkpointShape.parse(JSON.parse(text));
    return { ...others, context: context ?? context_values ?? {} };
  } catch {
    return undefined;
  }
}

/**
 * Schema for an object that is kept unchanged: its keys are names of the author, and values from JSON need
 * no check.
 */
function record<Value>() {
  return z.custom<Readonly<Record<string, Value>>>((value) => isRecord(value));
}

const checkpointShape = z
  .object({
    timestamp: z.string(),
    current_node: z.string().nullable(),
    completed_nodes: z.array(z.string()),
    node_retries: record<number>(),
    context: record<JsonValue>().optional(),
    context_values: record<JsonValue>().optional(),
    logs: z.array(z.string()),
    next_node: z.string().nullable().default(null),
    node_outcomes: record<Outcome>().default({}),
    restart: z.number().default(0),
    status: z
      .enum(['created', 'running', 'paused', 'success', 'fail', 'cancelled'] satisfies readonly RunStatus[])
      .default('running'),
    seq: z.number().default(0),
    graph_hash: z.string().default(''),
    version: z.number().default(0),
  })
  .refine(({ context, context_values }) => context !== undefined || context_values !== undefined);
