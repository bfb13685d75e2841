import { compile } from '../compiler/compile.js';
import { counted } from '../diagnostic/counted.js';
import { type Diagnostic, hasErrors } from '../diagnostic/diagnostic.js';
import { nearestName } from '../diagnostic/did-you-mean.js';
import type { FileDiagnostics } from '../diagnostic/file-diagnostics.js';
import { printableLines } from '../diagnostic/printable.js';
import { diagnosticToJson } from '../diagnostic/render-json.js';
import { SourceText } from '../diagnostic/source.js';
import type { Importer, Migration, MigrationNote } from '../importers/importer.js';
import { importers } from '../importers/importers.js';
import { migrate } from '../importers/migrate.js';
import { pipelineFiles } from '../run/pipeline-files.js';
import { UsageError } from '../setup/usage-error.js';
import { exitCode } from './exit-code.js';
import type { Io } from './io.js';
import { migratedName, writeMigrated } from './migrated-file.js';
import { namedFiles } from './named-files.js';
import { reportDiagnostics } from './output/report-diagnostics.js';
import { terminalJson } from './output/terminal-json.js';
import { readSource } from './read-source.js';

export interface MigrateOptions {
  /** Name of the dialect; by default, the one that is recognized. */
  readonly from?: string;
  readonly format: 'pretty' | 'json';
  readonly write?: true;
}

/** Result of `attractor migrate` for one file. */
type MigratedFile = MigratedSource | RefusedSource;

interface MigratedSource {
  readonly kind: 'migrated';
  readonly file: string;
  readonly source: SourceText;
  readonly importer: Importer;
  readonly migration: Migration;
  /** Findings of lint about the migrated text. */
  readonly findings: FileDiagnostics;
}

interface RefusedSource {
  readonly kind: 'refused';
  /** Name for messages; undefined for an argument that matches nothing. */
  readonly source?: SourceText;
  readonly problem?: string;
  readonly diagnostics?: readonly Diagnostic[];
}

/** Migrates the files of the arguments; prints them, or writes them with `--write`. */
export async function migrateFiles(
  args: readonly string[],
  options: MigrateOptions,
  io: Io,
): Promise<number> {
  const from = importerNamed(options.from);
  const { files, problems } = await namedFiles(args, io);
  const results: MigratedFile[] = problems.map((problem) => ({ kind: 'refused', problem }));
  for (const file of files) {
    const result = await migrateFile(file, from, io);
    results.push(options.write && result.kind === 'migrated' ? write(result, io) : result);
  }
  if (options.format === 'json') printJson(results, io);
  else await printPretty(results, options, io);
  if (results.some(({ kind }) => kind === 'refused')) return exitCode.usage;
  const isBroken = (result: MigratedFile) =>
    result.kind === 'migrated' && hasErrors(result.findings.diagnostics);
  return results.some(isBroken) ? exitCode.failure : exitCode.ok;
}

function importerNamed(name: string | undefined): Importer | undefined {
  if (name === undefined) return undefined;
  const found = importers.find((importer) => importer.name === name);
  if (found !== undefined) return found;
  const names = importers.map((importer) => importer.name);
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new UsageError(`unknown dialect "${name}": expected one of ${names.join(', ')}${hint}`);
}

async function migrateFile(file: string, from: Importer | undefined, io: Io): Promise<MigratedFile> {
  try {
    const { name, text, hasByteOrderMark } = await readSource(file, io);
    const source = new SourceText(name, text);
    const migrated = migrate(text, from);
    if (migrated === undefined) return { kind: 'refused', source, problem: unknownDialect(name) };
    const { importer, result } = migrated;
    if (result.kind === 'unreadable') return { kind: 'refused', source, diagnostics: result.diagnostics };
    const isUnchanged = result.text === text;
    const mark = isUnchanged && hasByteOrderMark ? '\uFEFF' : '';
    const migration = { ...result, text: mark + result.text };
    const findings = lintMigrated(file, result.text, importer, io);
    return { kind: 'migrated', file, source, importer, migration, findings };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { kind: 'refused', problem: error.message };
  }
}

function unknownDialect(name: string): string {
  const titles = importers.map(({ title }) => title).join(', ');
  return `cannot migrate ${name}: it is not a pipeline that is known here (${titles}); --from names the dialect`;
}

function lintMigrated(file: string, text: string, importer: Importer, io: Io): FileDiagnostics {
  const name = file === '-' ? '<migrated>' : migratedName(file, importer);
  const files = pipelineFiles(file === '-' ? undefined : name, { directory: io.cwd() });
  const { source, diagnostics } = compile(text, { name, files });
  return { source, diagnostics };
}

function write(result: MigratedSource, io: Io): MigratedFile {
  try {
    writeMigrated(result.file, result.importer, result.migration.text, result.source.text, io);
    return result;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { kind: 'refused', problem: error.message };
  }
}

async function printPretty(
  results: readonly MigratedFile[],
  { write: isWritten }: MigrateOptions,
  io: Io,
): Promise<void> {
  const isOnly = results.length === 1;
  for (const result of results) {
    if (result.kind === 'refused') {
      if (result.problem !== undefined) tell(`attractor: ${result.problem}`, io);
      const { source, diagnostics = [] } = result;
      if (source !== undefined && diagnostics.length > 0)
        await reportDiagnostics([{ source, diagnostics }], io);
      continue;
    }
    const { migration, source, findings } = result;
    if (!isWritten) {
      if (!isOnly) io.stdout.write(`// ${printableLines(source.name)}\n`);
      io.stdout.write(migration.text);
    }
    tell(summaryOf(result, isWritten === true), io);
    for (const note of migration.notes) {
      if (note.kind !== 'rewritten')
        tell(`${source.name}:${source.positionAt(note.span.start).line}: ${note.kind}: ${note.message}`, io);
    }
    const errors = findings.diagnostics.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) await reportDiagnostics([{ source: findings.source, diagnostics: errors }], io);
  }
}

function summaryOf({ file, source, importer, migration }: MigratedSource, isWritten: boolean): string {
  if (migration.text === source.text) return `${source.name}: nothing to migrate`;
  const count = (kind: MigrationNote['kind']) => migration.notes.filter((note) => note.kind === kind).length;
  const target = migratedName(file, importer);
  const where = isWritten && target !== file ? ` to ${target}` : '';
  const rewritten = importer.format === 'dot' ? `${count('rewritten')} rewritten, ` : '';
  const counts = `${rewritten}${count('changed')} changed, ${count('lost')} lost`;
  return `${source.name}: migrated from ${importer.title}${where}: ${counts}`;
}

function printJson(results: readonly MigratedFile[], io: Io): void {
  const files = results.map((result) => {
    if (result.kind === 'refused') {
      const { source, problem, diagnostics = [] } = result;
      return {
        file: source?.name,
        status: 'refused',
        problem: problem ?? `${counted(diagnostics.length, 'error')} in the source`,
        diagnostics: source === undefined ? [] : diagnostics.map((one) => diagnosticToJson(one, source)),
      };
    }
    const { source, importer, migration, findings } = result;
    return {
      file: source.name,
      status: migration.text === source.text ? 'unchanged' : 'migrated',
      from: importer.name,
      text: migration.text,
      notes: migration.notes.map((note) => noteToJson(note, source)),
      diagnostics: findings.diagnostics.map((one) => diagnosticToJson(one, findings.source)),
    };
  });
  io.stdout.write(`${terminalJson({ files }, 2)}\n`);
}

function noteToJson({ kind, span, message }: MigrationNote, source: SourceText) {
  return { kind, ...source.positionAt(span.start), message };
}

function tell(message: string, io: Pick<Io, 'stderr'>): void {
  io.stderr.write(`${printableLines(message)}\n`);
}
