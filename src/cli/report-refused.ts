import { type Diagnostic, hasErrors } from '../diagnostic/diagnostic.js';
import type { SourceText } from '../diagnostic/source.js';
import { redactorOf } from '../setup/keys.js';
import { exitCode } from './exit-code.js';
import { type Io, terminalWidth, usesColor } from './io.js';
import type { FoundBefore } from './output/preflight-text.js';
import { terminalJson } from './output/terminal-json.js';
import { redactingIo } from './redacting-io.js';
import type { CommonArguments } from './run-arguments.js';

type OutputOptions = Pick<CommonArguments, 'json' | 'events'>;

/**
 * Says why a run does not begin (SEMANTICS 93, 121): everything that lint, inputs and preflight have found.
 * @returns the exit status
 */
export async function reportRefused(
  found: FoundBefore,
  options: OutputOptions,
  plainIo: Io,
): Promise<number> {
  const io = redactingIo(plainIo, redactorOf(plainIo));
  const { source, diagnostics, findings } = found;
  if (options.json || options.events) {
    await printInvalid(found, options, io);
  } else if (findings.length === 0) {
    const { reportDiagnostics } = await import('./output/report-diagnostics.js');
    await reportDiagnostics([{ source, diagnostics }], io);
  } else {
    const { preflightText } = await import('./output/preflight-text.js');
    const { stderr } = io;
    const style = { color: usesColor(io, stderr), width: terminalWidth(io, stderr) };
    stderr.write(preflightText(found, { ...style, ending: '; nothing was started' }));
  }
  return refusedStatus(found);
}

/** Exit status for what was found: 1 if lint has an error, else 2. */
export function refusedStatus({ diagnostics, findings }: FoundBefore): number {
  if (hasErrors(diagnostics)) return exitCode.failure;
  return findings.some(({ severity }) => severity === 'error') ? exitCode.usage : exitCode.ok;
}

/** Says why a pipeline cannot be used (SEMANTICS 93). @returns the exit status */
export async function reportInvalid(
  source: SourceText,
  diagnostics: readonly Diagnostic[],
  options: OutputOptions,
  io: Io,
): Promise<number> {
  return reportRefused({ source, diagnostics, findings: [] }, options, io);
}

async function printInvalid(
  { source, diagnostics, findings }: FoundBefore,
  { events }: OutputOptions,
  io: Io,
): Promise<void> {
  const { diagnosticToJson } = await import('../diagnostic/render-json.js');
  const found = diagnostics.map((diagnostic) => diagnosticToJson(diagnostic, source));
  const result = { status: 'invalid', diagnostics: found, findings };
  const text = events ? terminalJson({ type: 'RunResult', ...result }) : terminalJson(result, 2);
  io.stdout.write(`${text}\n`);
}
