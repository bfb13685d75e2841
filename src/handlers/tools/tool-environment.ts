import { graphAttribute } from '../../graph/attributes.js';
import type { Stage } from '../handler.js';
import { inheritedEnvironment } from './inherited-environment.js';

/**
 * Maximum in bytes. The limit of the system for one variable is 128 KiB; a value that comes near it would
 * keep the tool from starting.
 */
const longestValue = 100_000;

/**
 * Maximum of bytes of the context in an environment. Linux gives command and environment a quarter of the
 * stack together, 2 MB as a rule, and macOS 1 MB: the rest is for inherited variables and for the values in
 * the command.
 */
const longestContext = 512 * 1024;

/** Environment of a tool or an agent: the inherited one, and the variables of its stage. */
export function toolEnvironment(stage: Stage): Record<string, string | undefined> {
  return { ...inheritedEnvironment(), ...stageVariables(stage) };
}

/**
 * Variables of a stage for its tools (SEMANTICS 59a, 95, DESIGN §4): the `ATTRACTOR_*` variables, and
 * every scalar of the context as `ATTRACTOR_CTX_<KEY>`, without the engine's own bookkeeping. Values beyond
 * the limits of the system are left out, the largest first, and logged.
 */
export function stageVariables(stage: Stage): Record<string, string> {
  const context = contextVariables(stage);
  const leftOut = tooLarge([...context.values()]);
  for (const { name } of leftOut) context.delete(name);
  if (leftOut.length > 0) stage.log('info', leftOutMessage(stage.node.id, leftOut));
  const variables: Record<string, string> = {
    ATTRACTOR_RUN_ID: stage.runId,
    ATTRACTOR_NODE_ID: stage.node.id,
    ATTRACTOR_STAGE_DIR: stage.stageDirectory,
    ATTRACTOR_LOGS_ROOT: stage.logsRoot,
    ATTRACTOR_GOAL: withoutNul(graphAttribute(stage.graph, 'goal')),
    ATTRACTOR_VISIT: String(stage.visit),
    ATTRACTOR_ATTEMPT: String(stage.attempt),
    ATTRACTOR_IDEMPOTENCY_KEY: stage.idempotencyKey,
  };
  for (const { name, text } of context.values()) variables[name] = text;
  return variables;
}

interface Variable {
  readonly name: string;
  readonly key: string;
  readonly text: string;
  /** Size as the system counts it, in bytes. */
  readonly size: number;
}

/** Variables by name: keys that differ only in characters that a name cannot have are one variable. */
function contextVariables({ context }: Stage): Map<string, Variable> {
  const variables = new Map<string, Variable>();
  for (const [key, value] of context.entries()) {
    if (key.startsWith('internal.') || value === null || typeof value === 'object') continue;
    const name = `ATTRACTOR_CTX_${variableName(key)}`;
    const text = withoutNul(String(value));
    variables.set(name, { name, key, text, size: sizeOf(name, text) });
  }
  return variables;
}

/** Size of `name=text` with a NUL, and a pointer to it. */
function sizeOf(name: string, text: string): number {
  return name.length + Buffer.byteLength(text) + 2 + 8;
}

/** Variables that are too large by themselves, and the largest of the others until the rest fits. */
function tooLarge(variables: readonly Variable[]): readonly Variable[] {
  let total = variables.reduce((sum, { size }) => sum + size, 0);
  if (total <= longestValue) return [];
  const leftOut: Variable[] = [];
  for (const variable of variables.toSorted((one, other) => other.size - one.size)) {
    if (total <= longestContext && variable.size <= longestValue) break;
    leftOut.push(variable);
    total -= variable.size;
  }
  return leftOut;
}

const keysNamed = 10;

function leftOutMessage(nodeId: string, leftOut: readonly Variable[]): string {
  const named = leftOut.slice(0, keysNamed).map(({ key, size }) => `"${key}" (${size} bytes)`);
  const more = leftOut.length > keysNamed ? ` and ${leftOut.length - keysNamed} more` : '';
  return `the environment of "${nodeId}" does not include the largest context values, which the system might reject: ${named.join(', ')}${more}. Its command can have a value of up to 128 KiB as \${context.KEY}; larger ones are files in artifacts/ of the run directory`;
}

function variableName(key: string): string {
  return key.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** Removes NUL characters, which the system cannot pass on. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}
