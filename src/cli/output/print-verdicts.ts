import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChalkInstance } from 'chalk';
import type { PropertyVerdict } from '../../check/check-properties.js';
import { verdictToJson } from '../../check/verdict-json.js';
import type { Compilation } from '../../compiler/compile.js';
import { printableLines } from '../../diagnostic/printable.js';
import type { Program } from '../../graph/program.js';
import type { Monitor } from '../../graph/properties/monitor.js';
import { makeDirectories } from '../../handlers/make-directories.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import { locateFile } from '../../setup/locate-file.js';
import { UsageError } from '../../setup/usage-error.js';
import { version } from '../../version.js';
import { traceOfFailure } from '../../view/overlay-of.js';
import { type Io, usesColor } from '../io.js';
import { terminalJson } from './terminal-json.js';

/** How verdicts are printed. */
export interface VerdictOptions {
  readonly format: 'pretty' | 'json' | 'sarif' | 'junit';
  /** Directory for the script and the picture of each counterexample. */
  readonly outputDir?: string;
}

interface Printed {
  /** As the call names it. */
  readonly file: string;
  readonly compilation: Compilation & { readonly program: Program };
  readonly verdicts: readonly PropertyVerdict[];
}

/** Prints the verdicts of `check`, and writes the counterexamples where that was asked for. */
export async function printVerdicts(printed: Printed, options: VerdictOptions, io: Io): Promise<void> {
  const written =
    options.outputDir === undefined ? noFiles : await writeFiles(printed, options.outputDir, io);
  const { compilation, verdicts, file } = printed;
  switch (options.format) {
    case 'json':
      io.stdout.write(`${terminalJson(jsonOf(printed, written), 2)}\n`);
      return;
    case 'junit': {
      const { renderJunit } = await import('../../check/render-junit.js');
      io.stdout.write(renderJunit(compilation.source.name, verdicts));
      return;
    }
    case 'sarif': {
      const { renderSarif } = await import('../../diagnostic/render-sarif.js');
      const { findingsOf, verdictRules } = await import('../../check/verdict-findings.js');
      const root = pathToFileURL(path.join(io.cwd(), '/')).href;
      const diagnostics = findingsOf(verdicts, compilation.graph);
      const { source } = compilation;
      io.stdout.write(renderSarif([{ source, diagnostics }], { version, root, rules: verdictRules }));
      return;
    }
    case 'pretty': {
      const { Chalk } = await import('chalk');
      const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
      const text = verdicts.map((verdict) => prettyOf(verdict, file, written.get(verdict.monitor), chalk));
      io.stdout.write(printableLines(`${text.join('\n')}\n`));
    }
  }
}

interface WrittenFiles {
  readonly script: string;
  readonly picture: string;
}

const noFiles: ReadonlyMap<Monitor, WrittenFiles> = new Map();

const words: Readonly<Record<PropertyVerdict['kind'], string>> = {
  holds: 'holds      ',
  broken: 'broken     ',
  undecided: 'not decided',
};

function prettyOf(
  verdict: PropertyVerdict,
  file: string,
  written: WrittenFiles | undefined,
  chalk: ChalkInstance,
): string {
  const { name, text, origin } = verdict.monitor;
  const from = origin === 'pipeline' ? '' : chalk.dim(` (${origin})`);
  const paint = { holds: chalk.green, broken: chalk.red, undecided: chalk.yellow }[verdict.kind];
  const head = `${paint(words[verdict.kind])}  ${chalk.bold(name)}${from}: ${text}`;
  const indent = '\n             ';
  switch (verdict.kind) {
    case 'holds':
      return head;
    case 'undecided':
      return `${head}${verdict.reasons.map((reason) => `${indent}${reason}`).join('')}`;
    case 'broken': {
      const { reason, path: nodes, script, endsBefore } = verdict.counterexample;
      const [what] = reason.split(' (path: ');
      const lines = [what, `path: ${nodes.join(' -> ')}`];
      if (endsBefore !== undefined) lines.push(`but the run ends before: ${endsBefore.split(' (path: ')[0]}`);
      if (written === undefined) lines.push(`script: ${JSON.stringify(script)}`);
      else {
        lines.push(`picture: ${written.picture}`);
        lines.push(`play: attractor run ${file} --simulate --script ${written.script}`);
      }
      return `${head}${lines.map((line) => `${indent}${line}`).join('')}`;
    }
  }
}

function jsonOf({ compilation, verdicts }: Printed, written: ReadonlyMap<Monitor, WrittenFiles>): object {
  return {
    file: compilation.source.name,
    properties: verdicts.map((verdict) => ({
      ...verdictToJson(verdict),
      files: written.get(verdict.monitor),
    })),
  };
}

/** Writes a script and a picture for each counterexample. @throws UsageError where that is not possible */
async function writeFiles(
  { compilation, verdicts }: Printed,
  directory: string,
  io: Io,
): Promise<ReadonlyMap<Monitor, WrittenFiles>> {
  const { renderSvg } = await import('../../render/svg.js');
  const { graph } = compilation;
  const found = new Map<Monitor, WrittenFiles>();
  for (const { monitor, ...verdict } of verdicts) {
    if (verdict.kind !== 'broken') continue;
    // Two authors may choose the same name.
    const own = monitor.origin === 'pipeline' ? '' : `${monitor.origin}.`;
    const stem = path.join(directory, `${own}${monitor.name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`);
    const files = { script: `${stem}.script.json`, picture: `${stem}.svg` };
    const { events, reason } = verdict.counterexample;
    const overlay = traceOfFailure(events, graph, reason);
    const picture = await renderSvg(graph, { theme: 'auto', overlay });
    try {
      makeDirectories(locateFile(directory, io.cwd()));
      writeFileSync(
        locateFile(files.script, io.cwd()),
        `${JSON.stringify(verdict.counterexample.script, undefined, 2)}\n`,
      );
      writeFileSync(locateFile(files.picture, io.cwd()), picture);
    } catch (error) {
      throw new UsageError(`cannot write to ${directory}: ${describeSystemError(error)}`);
    }
    found.set(monitor, files);
  }
  return found;
}
