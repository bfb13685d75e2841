import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { StageRoutes } from '../../graph/stage-routes.js';
import { readStatusFile } from '../../handlers/read-outcome.js';
import { statusFileName } from '../../run-directory/stage-files.js';
import { readVerdict, type VerdictReading, verdictInstruction, verdictTool } from '../verdict.js';
import type { VerdictChannel } from '../verdict-server/start-verdict-channel.js';

/** How an agent says how its stage ended (Appendix C): by `report_outcome` where it has the tool, else by the status file. */
export interface VerdictSource {
  readonly routes: StageRoutes;
  readonly stageDirectory: string;
  readonly channel: VerdictChannel | undefined;
}

/** What the prompt says of it. */
export function verdictRequest({ routes, stageDirectory, channel }: VerdictSource): string {
  return channel === undefined
    ? statusFileInstruction(routes, path.join(stageDirectory, statusFileName))
    : verdictInstruction(routes);
}

/** What the agent has said; undefined where it has said nothing. The status file counts before the tool (SEMANTICS 59b). */
export function readStageVerdict({
  routes,
  stageDirectory,
  channel,
}: VerdictSource): VerdictReading | undefined {
  return statusFileVerdict(path.join(stageDirectory, statusFileName), routes) ?? channel?.result();
}

/** A verdict that cannot be used must not be read again. */
export function discardStatusFile({ stageDirectory }: VerdictSource): void {
  rmSync(path.join(stageDirectory, statusFileName), { force: true, recursive: true });
}

/** What an agent is told whose verdict cannot be used. */
export function correctionRequest(way: VerdictSource, problem: string): string {
  const what = way.channel === undefined ? 'Your status file' : `What you handed to \`${verdictTool}\``;
  return `${what} cannot be used: ${problem}. The work itself need not be done again. ${verdictRequest(way)}`;
}

/** What an agent is told that has ended without a verdict where one is needed. */
export function reminder(way: VerdictSource): string {
  return `You have not yet said how this stage ended. The work itself need not be done again. ${verdictRequest(way)}`;
}

function statusFileInstruction({ labels, isChoice }: StageRoutes, file: string): string {
  const must = isChoice ? 'When you have finished, you must' : 'When you have finished,';
  const label =
    labels.length === 0 ? '' : `, "preferred_label": ${labels.map((one) => JSON.stringify(one)).join(' | ')}`;
  return `${must} write the file ${JSON.stringify(file)} to say how this stage ended, as JSON: {"outcome": "success" | "partial_success" | "retry" | "fail"${label}, "notes": what was done, "failure_reason": why it failed, "context_updates": {values for later stages}}. Only "outcome"${label && ' and "preferred_label"'} must be there.`;
}

/** More than that is not a status. */
const longestStatus = 1024 * 1024;

function statusFileVerdict(file: string, routes: StageRoutes): VerdictReading | undefined {
  const text = readSmallFile(file);
  if (text === undefined || typeof text !== 'string') return text;
  const read = readStatusFile(text);
  if (read.kind === 'invalid') return { kind: 'invalid', problem: read.problem };
  // A stage that was skipped is not a verdict that a model is asked for, but the file may say it.
  return read.outcome.status === 'skipped' ? read : readVerdict(read.outcome, routes);
}

function readSmallFile(file: string): string | Extract<VerdictReading, { kind: 'invalid' }> | undefined {
  let descriptor: number | undefined;
  try {
    // Without waiting: an agent may have put a pipe there.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { kind: 'invalid', problem: 'it is not a file' };
    if (stats.size > longestStatus) return { kind: 'invalid', problem: `it has ${stats.size} bytes` };
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return { kind: 'invalid', problem: error instanceof Error ? error.message : String(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
