import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { StageRoutes } from '../graph/stage-routes.js';
import { readStatusFile } from '../handlers/read-outcome.js';
import { statusFileName } from '../run-directory/stage-path.js';
import { readVerdict, type VerdictReading, verdictInstruction, verdictTool } from './verdict.js';
import type { VerdictChannel } from './verdict-server/start-verdict-channel.js';
import { describeWrites, requiresWrites } from './written-schema.js';

/**
 * Source of the verdict of a stage (Appendix C): `report_outcome` if the agent has the tool, else the
 * status file.
 */
export interface VerdictSource {
  readonly routes: StageRoutes;
  readonly stageDirectory: string;
  readonly channel: VerdictChannel | undefined;
}

/** Request for a verdict, to append to a prompt. */
export function verdictRequest({ routes, stageDirectory, channel }: VerdictSource): string {
  return channel === undefined
    ? statusFileInstruction(routes, path.join(stageDirectory, statusFileName))
    : verdictInstruction(routes);
}

/** Verdict of the agent; undefined without one. The status file counts before the tool (SEMANTICS 59b). */
export function readStageVerdict({
  routes,
  stageDirectory,
  channel,
}: VerdictSource): VerdictReading | undefined {
  return statusFileVerdict(path.join(stageDirectory, statusFileName), routes) ?? channel?.result();
}

/** Removes the status file, so that an unusable verdict is not read again. */
export function discardStatusFile({ stageDirectory }: Pick<VerdictSource, 'stageDirectory'>): void {
  rmSync(path.join(stageDirectory, statusFileName), { force: true, recursive: true });
}

/** Prompt for an agent whose verdict is unusable. */
export function correctionRequest(way: VerdictSource, problem: string): string {
  const what = way.channel === undefined ? 'Your status file' : `What you handed to \`${verdictTool}\``;
  return `${what} cannot be used: ${problem}. The work itself need not be done again. ${verdictRequest(way)}`;
}

/** Prompt for an agent that has ended without a required verdict. */
export function reminder(way: VerdictSource): string {
  return `You have not yet said how this stage ended. The work itself need not be done again. ${verdictRequest(way)}`;
}

function statusFileInstruction({ labels, isChoice, writes = [] }: StageRoutes, file: string): string {
  const must =
    isChoice || requiresWrites(writes) ? 'When you have finished, you must' : 'When you have finished,';
  const label =
    labels.length === 0 ? '' : `, "preferred_label": ${labels.map((one) => JSON.stringify(one)).join(' | ')}`;
  const values =
    writes.length === 0 ? '' : ` A success must also have, in "context_updates": ${describeWrites(writes)}.`;
  return `${must} write the file ${JSON.stringify(file)} to say how this stage ended, as JSON: {"outcome": "success" | "partial_success" | "retry" | "fail"${label}, "notes": what was done, "failure_reason": why it failed, "context_updates": {values for later stages}}. Only "outcome"${label && ' and "preferred_label"'} must be there.${values}`;
}

/** Maximum of bytes of a status file. */
const longestStatus = 1024 * 1024;

function statusFileVerdict(file: string, routes: StageRoutes): VerdictReading | undefined {
  const text = readSmallFile(file);
  if (text === undefined || typeof text !== 'string') return text;
  const read = readStatusFile(text);
  if (read.kind === 'invalid') return { kind: 'invalid', problem: read.problem };
  // Models are not offered the status `skipped`, but the file may have it.
  return read.outcome.status === 'skipped' ? read : readVerdict(read.outcome, routes);
}

function readSmallFile(file: string): string | Extract<VerdictReading, { kind: 'invalid' }> | undefined {
  let descriptor: number | undefined;
  try {
    // Without blocking: an agent may have created a pipe.
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
