import { nodeAttribute } from '../../graph/attributes.js';
import type { ProgramNode } from '../../graph/program.js';
import { stageStatuses } from '../../graph/stage-status.js';
import { failureOfError, messageOf, type ShouldRetry } from '../../handlers/error-category.js';
import { foundText } from '../../handlers/found-text.js';
import { type Stage, StageCrash } from '../../handlers/handler.js';
import {
  type ReadingOptions,
  type ReadOutcome,
  readHandlerResult,
  readStatusFile,
} from '../../handlers/read-outcome.js';
import { withFailureCategory } from '../../machine/categorize-failure.js';
import { failure, type Outcome } from '../../machine/outcome.js';
import type { UnreadableFile } from '../../run-directory/stage-files.js';

/** How the work of an attempt ended, before anything is made of it. */
export type Ending =
  | { readonly kind: 'returned'; readonly result: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timed_out'; readonly after: string; readonly updates: Outcome['context_updates'] };

/** What a run decides about the outcomes of all its stages. */
export interface OutcomePolicy {
  readonly settings?: ReadingOptions;
  /** Asked before the default predicate whether an error may pass (§3.6). */
  readonly shouldRetry?: ShouldRetry;
}

const autoStatusNotes = 'auto-status: handler completed without writing status';

/**
 * What an attempt amounts to (§4.12, SEMANTICS 30, 59b, 62, 84): exceptions, the timeout, the status file and
 * `auto_status` become one outcome, and a failure gets its category (Appendix D).
 * @param written reads the `status.json` that was written during the attempt; asked only where it may decide
 */
export function settleAttempt(
  node: ProgramNode,
  stage: Pick<Stage, 'log'>,
  ending: Ending,
  written: () => string | UnreadableFile | undefined,
  policy: OutcomePolicy = {},
): Outcome {
  return withFailureCategory(outcomeOf(node, stage, ending, written, policy));
}

function outcomeOf(
  node: ProgramNode,
  stage: Pick<Stage, 'log'>,
  ending: Ending,
  written: () => string | UnreadableFile | undefined,
  policy: OutcomePolicy,
): Outcome {
  switch (ending.kind) {
    case 'timed_out':
      // It may be faster next time; whether there is one, the node's budget says.
      return failure(`timeout after ${ending.after}`, {
        retryable: node.retry.maxAttempts > 1,
        failure_category: 'retryable',
        context_updates: ending.updates,
      });
    case 'threw':
      return outcomeOfError(stage, ending.error, policy);
    case 'returned':
      return outcomeOfAnyResult(node, stage, ending.result, written(), policy);
  }
}

function outcomeOfError(stage: Pick<Stage, 'log'>, error: unknown, { shouldRetry }: OutcomePolicy): Outcome {
  if (error instanceof StageCrash) return error.outcome;
  try {
    return failureOfError(error, shouldRetry);
  } catch (problem) {
    stage.log('warning', `shouldRetry threw: ${messageOf(problem)}; the error is judged without it`);
    return failureOfError(error);
  }
}

/** Getters and proxies may throw when they are read; that is a mistake of the handler like any other (§4.12). */
function outcomeOfAnyResult(...given: Parameters<typeof outcomeOfResult>): Outcome {
  try {
    return outcomeOfResult(...given);
  } catch (error) {
    const [node] = given;
    return invalid(`${originOf(node)} returned an outcome that cannot be read: ${messageOf(error)}`);
  }
}

/** A status file that was written during the attempt wins over what the handler returned. */
function outcomeOfResult(
  node: ProgramNode,
  stage: Pick<Stage, 'log'>,
  result: unknown,
  written: string | UnreadableFile | undefined,
  policy: OutcomePolicy,
): Outcome {
  const warn = (key: string): void =>
    stage.log(
      'warning',
      `context key "${key}" was given a value that is not JSON; what JSON can hold is kept`,
    );
  const read = readHandlerResult(result, warn, policy.settings);
  if (written !== undefined) return outcomeOfStatusFile(written, read, policy);
  switch (read.kind) {
    case 'outcome':
      return read.outcome;
    case 'invalid':
      return invalid(`${originOf(node)} returned ${misshapen(node, result, read.problem)}`);
    case 'without_status':
      if (nodeAttribute(node.node, 'auto_status')) {
        return { ...read.details, status: 'success', notes: autoStatusNotes };
      }
      // An agent may remember its verdict next time: whether it gets one, the node says.
      return failure(
        `${missingStatus(node, result)} and wrote no status.json (auto_status=true would count that as a success)`,
      );
  }
}

/** Whose mistake it is: the handler of LLM stages hands on what its backend returned. */
function originOf({ handler: { type } }: ProgramNode): string {
  return type === 'codergen' ? 'the backend' : `the handler of \`${type}\``;
}

/** A whole value that is none, or what is wrong with a part of it. */
function misshapen({ handler: { type } }: ProgramNode, result: unknown, problem: string): string {
  if (typeof result === 'object' && !Array.isArray(result)) return `an ${problem}`;
  const text = type === 'codergen' ? 'a text or ' : '';
  return `${foundText(result)}; expected ${text}an outcome: an object with a "status" (${stageStatuses.join(', ')})`;
}

function missingStatus(node: ProgramNode, result: unknown): string {
  return result === undefined || result === null
    ? `${originOf(node)} reported no outcome`
    : `${originOf(node)} returned ${foundText(result)}, which has no "status",`;
}

/** What a tool printed stays in the context, whatever its status file says. */
function outcomeOfStatusFile(
  written: string | UnreadableFile,
  returned: ReadOutcome,
  policy: OutcomePolicy,
): Outcome {
  const updates = returned.kind === 'outcome' ? returned.outcome.context_updates : undefined;
  if (typeof written !== 'string') return invalid(`invalid status.json: ${written.problem}`, updates);
  const file = readStatusFile(written, policy.settings);
  if (file.kind === 'invalid') return invalid(`invalid status.json: ${file.problem}`, updates);
  if (updates === undefined) return file.outcome;
  return { ...file.outcome, context_updates: { ...updates, ...file.outcome.context_updates } };
}

/** Who breaks the contract of the status file will do so again: a validation error (§3.6). */
function invalid(reason: string, updates?: Outcome['context_updates']): Outcome {
  return failure(reason, {
    retryable: false,
    failure_category: 'terminal',
    context_updates: updates,
  });
}
