import { Chalk, type ChalkInstance } from 'chalk';
import { printable } from '../../diagnostic/printable.js';
import { padColumns, textColumns } from '../../diagnostic/text-columns.js';
import type { MachineReport } from '../../setup/machine/examine-machine.js';
import type { Fact } from '../../setup/machine/fact.js';
import type { Probe } from '../../setup/probe-models.js';
import { type FoundBefore, type PreflightTextOptions, preflightText } from './preflight-text.js';

/** Everything that `attractor doctor` found. */
export interface DoctorReport {
  readonly facts: MachineReport;
  /** Undefined if no database of a cluster is named. */
  readonly cluster: readonly Fact[] | undefined;
  /** Undefined without a pipeline. */
  readonly pipeline: FoundBefore | undefined;
  /** Undefined if no model was asked. */
  readonly probes: readonly Probe[] | undefined;
}

const titles = {
  machine: 'This machine',
  providers: 'Providers of models',
  agents: 'Coding agents',
} as const;

/** The report for a person. */
export function renderDoctor(report: DoctorReport, options: PreflightTextOptions): string {
  const chalk = new Chalk({ level: options.color ? 1 : 0 });
  const { facts, cluster, pipeline, probes } = report;
  const sections = (['machine', 'providers', 'agents'] as const).map((group) =>
    section(titles[group], facts[group], chalk),
  );
  if (cluster !== undefined) sections.push(section('Cluster', cluster, chalk));
  if (probes !== undefined) sections.push(section('Requests to models', factsOfProbes(probes), chalk));
  if (pipeline !== undefined) {
    const title = chalk.bold(printable(pipeline.source.name));
    sections.push(`${title}\n${preflightText(pipeline, options)}`);
  }
  return sections.join('\n');
}

function factsOfProbes(probes: readonly Probe[]): readonly Fact[] {
  const none = { name: 'none', state: 'missing', found: 'no model with its key is called directly' } as const;
  return probes.length === 0 ? [none] : probes.map(factOfProbe);
}

function factOfProbe({ model, state, milliseconds, problem }: Probe): Fact {
  return state === 'ok'
    ? { name: model, state: 'ok', found: `answered in ${milliseconds} ms` }
    : { name: model, state: 'problem', found: problem ?? 'failed' };
}

function section(title: string, facts: readonly Fact[], chalk: ChalkInstance): string {
  const width = Math.max(...facts.map(({ name }) => textColumns(printable(name))), 0);
  const rows = facts.flatMap(({ name, state, found, help }) => {
    const row = `  ${mark(state, chalk)} ${padColumns(printable(name), width)}  ${printable(found)}`;
    const shown = state === 'missing' ? chalk.dim(row) : row;
    return help === undefined
      ? [shown]
      : [shown, `    ${chalk.dim('=')} ${chalk.bold('help:')} ${printable(help)}`];
  });
  return `${chalk.bold(title)}\n${rows.join('\n')}\n`;
}

function mark(state: Fact['state'], chalk: ChalkInstance): string {
  switch (state) {
    case 'ok':
      return chalk.green('✔');
    case 'missing':
      return '–';
    case 'problem':
      return chalk.red('✖');
  }
}
