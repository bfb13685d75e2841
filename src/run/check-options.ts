import { branchRegions, parallelsAround } from '../graph/branch-regions.js';
import type { Program } from '../graph/program.js';
import { foundText } from '../handlers/found-text.js';
import { RunError } from '../run-directory/run-error.js';
import type { SimulationScript } from '../run-directory/simulation-script.js';
import { HandlerRegistry } from './driver/handler-registry.js';

/** What a program in JavaScript may get wrong without being told by a compiler. */
interface GivenOptions {
  readonly handlers?: unknown;
  readonly answers?: unknown;
  readonly script?: unknown;
  readonly maxSteps?: unknown;
  readonly budgetUsd?: unknown;
  readonly budgetTokens?: unknown;
  readonly runDirectory?: unknown;
  readonly runId?: unknown;
}

/** @throws RunError `usage` for options that are not what they must be, before anything is made of them */
export function checkOptions(options: GivenOptions): void {
  const { handlers, answers, script, maxSteps, budgetUsd, budgetTokens, runDirectory, runId } = options;
  if (handlers !== undefined && !(handlers instanceof HandlerRegistry)) {
    throw usage(
      `the option "handlers" must be a HandlerRegistry, not ${foundText(handlers)}: new HandlerRegistry().register(type, handler)`,
    );
  }
  if (answers !== undefined && !isMapOfLists(answers)) {
    throw usage(
      `the option "answers" must be a Map from node ids to lists of texts, not ${foundText(answers)}: new Map([["gate", ["A"]]])`,
    );
  }
  if (script !== undefined && !isScript(script)) {
    throw usage(`the option "script" must be what readScript gives, not ${foundText(script)}`);
  }
  if (maxSteps !== undefined && (!Number.isSafeInteger(maxSteps) || Number(maxSteps) < 1)) {
    throw usage(`the option "maxSteps" must be a whole number of at least 1, not ${String(maxSteps)}`);
  }
  if (
    budgetUsd !== undefined &&
    !(typeof budgetUsd === 'number' && budgetUsd >= 0 && budgetUsd < Number.POSITIVE_INFINITY)
  ) {
    throw usage(`the option "budgetUsd" must be a number of at least 0, not ${String(budgetUsd)}`);
  }
  if (budgetTokens !== undefined && (!Number.isSafeInteger(budgetTokens) || Number(budgetTokens) < 0)) {
    throw usage(
      `the option "budgetTokens" must be a whole number of at least 0, not ${String(budgetTokens)}`,
    );
  }
  if (runDirectory !== undefined && (typeof runDirectory !== 'string' || runDirectory.trim() === '')) {
    throw usage(`the option "runDirectory" must be the path of a directory, not ${foundText(runDirectory)}`);
  }
  // It becomes the name of a directory, of a branch of git, and a part of the ids of questions.
  if (
    runId !== undefined &&
    !(typeof runId === 'string' && /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/.test(runId))
  ) {
    throw usage(
      `the option "runId" must be made of letters, digits, "-" and "_", and begin with a letter or digit, not ${foundText(runId)}`,
    );
  }
}

function isScript(value: unknown): boolean {
  const { nodes, answers } = (value ?? {}) as Partial<SimulationScript>;
  return isMapOfLists(nodes) && isMapOfLists(answers);
}

function isMapOfLists(value: unknown): boolean {
  return value instanceof Map && [...value.values()].every((entry) => Array.isArray(entry));
}

/** @throws RunError `usage` for a node to go on at that the pipeline does not have, or that only branches run (SEMANTICS 48) */
export function checkStart(program: Program, nodeId: string | undefined): void {
  if (nodeId === undefined) return;
  if (!program.nodes.has(nodeId))
    throw usage(`the run cannot go on at "${nodeId}", which is no node of its pipeline`);
  const parallelId = parallelAround(program, nodeId);
  if (parallelId === undefined) return;
  throw usage(
    `the run cannot go on at "${nodeId}", which runs in branches of "${parallelId}" only. Name "${parallelId}" instead to run all of them again, or no node: then the run goes on where it stopped, and does nothing again that had finished`,
  );
}

/** The parallel node of the main line in whose branches alone a node runs. */
function parallelAround({ graph, nodes }: Program, nodeId: string): string | undefined {
  const joins = new Map<string, string>();
  for (const { id, parallel } of nodes.values()) if (parallel !== undefined) joins.set(id, parallel.joinId);
  if (joins.size === 0) return undefined;
  const { mainLine, branches } = branchRegions(graph, joins);
  return mainLine.has(nodeId) ? undefined : parallelsAround(branches.get(nodeId)?.[0]).at(-1);
}

function usage(message: string): RunError {
  return new RunError('usage', message);
}
