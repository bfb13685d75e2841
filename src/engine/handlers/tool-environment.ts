import { graphAttribute } from '../../graph/attributes.js';
import type { Stage } from './handler.js';

/** In bytes. What the system takes for one variable is 128 KiB; a value that comes near it would keep the tool from starting. */
const longestValue = 100_000;

/**
 * The environment of a tool (SEMANTICS 59a, 95, DESIGN §4): the inherited one, where and what it is, and every scalar of
 * the context as `ATTRACTOR_CTX_<KEY>`, the engine's own bookkeeping left out.
 */
export function toolEnvironment(stage: Stage): Record<string, string | undefined> {
  const environment: Record<string, string | undefined> = {
    ...process.env,
    ATTRACTOR_RUN_ID: stage.runId,
    ATTRACTOR_NODE_ID: stage.node.id,
    ATTRACTOR_STAGE_DIR: stage.stageDirectory,
    ATTRACTOR_LOGS_ROOT: stage.logsRoot,
    ATTRACTOR_GOAL: withoutNul(graphAttribute(stage.graph, 'goal')),
    ATTRACTOR_VISIT: String(stage.visit),
    ATTRACTOR_ATTEMPT: String(stage.attempt),
    ATTRACTOR_IDEMPOTENCY_KEY: stage.idempotencyKey,
  };
  for (const [key, value] of stage.context.entries()) {
    if (key.startsWith('internal.') || value === null || typeof value === 'object') continue;
    const text = withoutNul(String(value));
    if (Buffer.byteLength(text) <= longestValue) environment[`ATTRACTOR_CTX_${variableName(key)}`] = text;
  }
  return environment;
}

function variableName(key: string): string {
  return key.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** The system cannot pass on a NUL character. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}
