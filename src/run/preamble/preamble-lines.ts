import { stripStyles } from '../../diagnostic/terminal-text.js';
import { withoutOutput } from '../../handlers/tools/failure-text.js';
import type { StageStatus } from '../../machine/outcome.js';
import { endsOf, headOf, linesOf, proseOf, tailOf } from '../../view/cut-text.js';
import type { ContextValue, Decision, PastEntry, PastStage } from './preamble-material.js';
import { valueText } from './value-text.js';

/** Level of detail; lengths are in characters. */
export interface Measures {
  readonly prose: number;
  readonly output: number;
  readonly value: number;
  readonly withLabel: boolean;
  readonly withResponse: boolean;
}

/** Visit of a stage in one line: its name, its outcome, and its result. */
export function describeStage(stage: PastStage, measures: Measures): string {
  const { id, label, status, visit, retries } = stage;
  const called = measures.withLabel && label !== id ? ` ("${headOf(proseOf(label), 80)}")` : '';
  const times = [
    ...(visit > 1 ? [`visit ${visit}`] : []),
    ...(retries > 0 ? [`after ${retries} ${retries === 1 ? 'retry' : 'retries'}`] : []),
  ];
  const when = times.length === 0 ? '' : ` (${times.join(', ')})`;
  const came = resultsOf(stage, measures);
  return `${id}${called}: ${words[status]}${when}${came === '' ? '' : ` – ${came}`}`;
}

const words: Readonly<Record<StageStatus, string>> = {
  success: 'success',
  partial_success: 'partial success',
  fail: 'failed',
  retry: 'asked to be tried again',
  skipped: 'skipped',
};

function resultsOf(stage: PastStage, { prose, output, withResponse }: Measures): string {
  const failed = stage.status === 'fail';
  const notes = proseOf(failed ? withoutOutput(stage.notes, stage.output) : stage.notes);
  const results = notes === '' ? [] : [failed ? endsOf(notes, prose) : headOf(notes, prose)];
  const saysResponse = stage.response !== '' && (withResponse || notes === '');
  if (saysResponse) results.push(`its answer: "${headOf(proseOf(stage.response), prose)}"`);
  const saysOutput = stage.output.trim() !== '' && (withResponse || failed);
  if (saysOutput) results.push(`its output: ${tailOf(linesOf(stripStyles(stage.output)), output)}`);
  return results
    .map((result, index) => (index < results.length - 1 ? result.replace(/[.;]$/, '') : result))
    .join('; ');
}

export function describeValue({ key, value }: ContextValue, measures: Measures): string {
  return `${headOf(key, 120)}: ${valueText(value, measures.value)}`;
}

/** Event in one line. */
export function describeEntry(entry: PastEntry, { prose }: Measures): string {
  switch (entry.kind) {
    case 'failed_attempt':
      return `attempt ${entry.attempt} of ${entry.id} failed: ${endsOf(proseOf(entry.reason), prose)}`;
    case 'jump':
      return entry.gate === undefined
        ? `${entry.from} failed, and the run went to ${entry.to}`
        : `the goal gate ${entry.gate} was not satisfied, and the run went back to ${entry.to}`;
    case 'interruption':
      return `${entry.id} was cut off and run again`;
    case 'run_failure':
      return `the run stopped at ${entry.id} and was resumed: ${endsOf(proseOf(entry.reason), prose)}`;
    case 'decision':
      return describeDecision(entry, prose);
    case 'stage': {
      const came = proseOf(entry.notes);
      const which = entry.visit === 1 ? 'first visit' : `visit ${entry.visit}`;
      const ended = `${entry.id} (${which}): ${words[entry.status]}`;
      return came === '' ? ended : `${ended} – ${endsOf(came, prose)}`;
    }
  }
}

/** Question with the stage that asked it, and the answer. */
export function describeDecision({ id, question, answer, timedOut }: Decision, prose: number): string {
  const asked = `${id}, asked "${headOf(proseOf(question), prose)}"`;
  const said = headOf(proseOf(answer), prose);
  return timedOut ? `${asked}: nobody answered in time (${said})` : `${asked}: ${said}`;
}
