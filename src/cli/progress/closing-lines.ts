import type { ChalkInstance } from 'chalk';
import { counted } from '../../diagnostic/counted.js';
import { listFirst } from '../../diagnostic/list-first.js';
import { printable, printableLines } from '../../diagnostic/printable.js';
import { formatDuration } from '../../view/format-duration.js';
import type { RunResult } from '../../view/run-result.js';
import { mergeCommand } from '../output/merge-command.js';
import { raisedBudgets } from '../output/raised-budgets.js';
import { wholeOutput } from '../output/whole-output.js';
import { shellWord } from '../run-name.js';

/** Directory of a run, with its name for the next call. */
export interface RunNames {
  readonly directory: string;
  readonly run: string;
  /** Name or URL of the remote to which its branches are pushed; empty for a run that has none. */
  readonly remote?: string;
}

/**
 * Last lines about a run: how it ended, and what can be done next.
 * @param tailOf node whose failure was shown last, with the end of its output
 */
export function closingLines(
  result: RunResult,
  { directory, run, remote }: RunNames,
  chalk: ChalkInstance,
  tailOf?: string,
): readonly string[] {
  const extent = `${counted(result.steps, 'stage')} in ${formatDuration(result.duration_ms)}`;
  const simulatedText = simulatedRemark(result);
  const files = chalk.dim(`  run directory: ${printable(directory)}`);
  const again = chalk.dim(`  resume:        attractor resume ${printable(run)}${raisedBudgets(result)}`);
  const merge =
    result.git === undefined
      ? []
      : [chalk.dim(`  merge with:    ${mergeCommand(result.git.branch, remote)}`)];
  const { waiting_node: node } = result;
  switch (result.status) {
    case 'success':
      return [
        '',
        `${chalk.green.bold('✔ success')}${qualityRemark(result)}${simulatedText} · ${extent}`,
        files,
        ...merge,
      ];
    case 'fail': {
      const output = wholeOutput(result.run_dir, result.failed_node, run);
      return [
        '',
        `${chalk.red.bold('✖ failed')} at ${printable(result.failed_node ?? '')}${simulatedText} · ${extent}`,
        ...indented(reasonText(result, tailOf)),
        files,
        ...(output === undefined ? [] : [chalk.dim(`  full output:   ${output}`)]),
        again,
      ];
    }
    case 'paused':
      return [
        '',
        `${chalk.yellow.bold('‖ paused')}: ${pauseText(result)}${simulatedText} · ${extent}`,
        files,
        again,
        ...(node === undefined ? [] : howToAnswer(node, run).map((line) => chalk.dim(line))),
      ];
    case 'cancelled':
      return ['', `${chalk.yellow.bold('■ cancelled')}${simulatedText} · ${extent}`, files, again];
  }
}

/** The reason, without what was printed a few lines above. */
function reasonText({ failure_reason: reason = '', failed_node: node }: RunResult, tailOf?: string): string {
  return node === tailOf ? (reason.split('\n', 1)[0] ?? '') : reason;
}

function howToAnswer(node: string, run: string): readonly string[] {
  return [
    `  show question: attractor status ${printable(run)}`,
    `  answer:        attractor resume ${printable(run)} --answer ${printable(shellWord(`${node}=ANSWER`))}`,
  ];
}

function pauseText({ paused_reason: reason = '', waiting_node: node }: RunResult): string {
  return `${printable(reason)}${node ? ` (${printable(node)})` : ''}`;
}

function indented(text: string): readonly string[] {
  return printableLines(text)
    .split('\n')
    .map((line) => `  ${line}`);
}

/** Names the stages that only pretended to do their work (SEMANTICS 120). */
function simulatedRemark({ simulated_stages: simulated }: RunResult): string {
  return simulated.length === 0 ? '' : `, simulated (${listFirst(simulated, 5, printable)})`;
}

/** Reason why a success is degraded (SEMANTICS 99). */
function qualityRemark({ quality, failed_stages: failed }: RunResult): string {
  if (quality === 'clean') return '';
  return failed.length === 0
    ? `, ${quality} (some stages were only partly successful)`
    : `, ${quality} (failed: ${failed.map(printable).join(', ')})`;
}
