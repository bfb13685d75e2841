import { type Diagnostic, type Fix, findingKind, type RelatedLocation, type Severity } from './diagnostic.js';
import type { FileDiagnostics } from './file-diagnostics.js';
import { printableJson } from './printable.js';
import { lineRange } from './render-json.js';
import type {
  SarifArtifact,
  SarifArtifactLocation,
  SarifFix,
  SarifLevel,
  SarifLocation,
  SarifLog,
  SarifRegion,
  SarifResult,
  SarifRule,
  SarifRun,
} from './sarif.js';
import type { SourceText, Span } from './source.js';

/** Description of a rule. */
export interface DescribedRule {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly rationale?: string;
}

export interface SarifOptions {
  /** Version of the tool. */
  readonly version: string;
  /** Base of relative paths, as a URI that ends with a slash. */
  readonly root?: string;
  /** Rules that may have found something; a finding of any other rule is reported without a description. */
  readonly rules: readonly DescribedRule[];
}

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const rootId = 'ROOT';
const levelOf: Readonly<Record<Severity, SarifLevel>> = { error: 'error', warning: 'warning', info: 'note' };

/** Diagnostics as a SARIF 2.1.0 log, for code scanning and editors: the output of `lint --format sarif`. */
export function renderSarif(files: readonly FileDiagnostics[], options: SarifOptions): string {
  return `${printableJson(JSON.stringify(sarifLog(files, options), undefined, 2))}\n`;
}

function sarifLog(files: readonly FileDiagnostics[], { version, root, rules }: SarifOptions): SarifLog {
  const found = new Set(files.flatMap(({ diagnostics }) => diagnostics.map(({ rule }) => rule)));
  const ids = [...found].sort();
  const known = new Map(rules.map((rule) => [rule.id, rule]));
  const indexOf = new Map(ids.map((id, index) => [id, index]));
  const locations = new ArtifactLocations(
    files.map(({ source }) => source.name),
    root,
  );
  const run: SarifRun = {
    tool: { driver: { name: 'attractor', version, rules: ids.map((id) => ruleOf(id, known.get(id))) } },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: root === undefined ? undefined : { [rootId]: { uri: root } },
    artifacts: locations.listed.map(artifactOf),
    results: files.flatMap(({ source, diagnostics }, index) =>
      diagnostics.map((one) => resultOf(one, indexOf.get(one.rule) ?? -1, { source, index, locations })),
    ),
  };
  return { $schema: schema, version: '2.1.0', runs: [run] };
}

/** Artifact with more than its location, which results repeat (SARIF2004). */
function artifactOf({ index: _, ...location }: SarifArtifactLocation): SarifArtifact {
  return { location, roles: ['analysisTarget'], mimeType: 'text/vnd.graphviz' };
}

function ruleOf(id: string, rule: DescribedRule | undefined): SarifRule {
  // An entry with an id alone adds nothing to the results (SARIF2004), so it gets a description.
  if (rule === undefined) return { id, shortDescription: { text: id } };
  return {
    id,
    shortDescription: { text: rule.summary },
    fullDescription: { text: rule.rationale ?? rule.summary },
    help: { text: [rule.summary, ...(rule.rationale === undefined ? [] : [rule.rationale])].join('\n\n') },
    defaultConfiguration: { level: levelOf[rule.severity] },
  };
}

/** Locations of the files that were looked at, and of others that a finding mentions. */
class ArtifactLocations {
  readonly listed: readonly SarifArtifactLocation[];
  readonly #root: string | undefined;

  constructor(names: readonly string[], root: string | undefined) {
    this.listed = names.map((name, index) => ({ ...artifactLocation(name, root), index }));
    this.#root = root;
  }

  /** Location of a listed file, or of another one by its name. */
  find(name: string, index: number | undefined): SarifArtifactLocation {
    return (index === undefined ? undefined : this.listed[index]) ?? artifactLocation(name, this.#root);
  }
}

interface FileContext {
  readonly source: SourceText;
  /** Position of the file in the list; undefined for a file that a finding only mentions. */
  readonly index: number | undefined;
  readonly locations: ArtifactLocations;
}

function resultOf(diagnostic: Diagnostic, ruleIndex: number, place: FileContext): SarifResult {
  const { severity, message, span, related = [], fix } = diagnostic;
  const names = logicalNames(diagnostic);
  const hasEdits = fix !== undefined && fix.edits.length > 0;
  // SARIF has no fix without a change, but the advice is worth reading.
  const advice = fix === undefined || hasEdits ? '' : `\nhelp: ${fix.title}`;
  return {
    ruleId: findingKind(diagnostic),
    ruleIndex,
    level: levelOf[severity],
    message: { text: `${message}${advice}` },
    locations: [{ ...locationOf(span, place), logicalLocations: names.length > 0 ? names : undefined }],
    relatedLocations: related.length > 0 ? relatedLocations(related, place) : undefined,
    fixes: hasEdits ? [fixOf(fix, place)] : undefined,
  };
}

function relatedLocations(related: readonly RelatedLocation[], place: FileContext): readonly SarifLocation[] {
  return related.map((one, index) => ({
    id: index + 1,
    ...locationOf(
      one.span,
      one.source === undefined ? place : { ...place, source: one.source, index: undefined },
    ),
    message: { text: one.message },
  }));
}

function logicalNames({ nodeId, edge }: Diagnostic) {
  if (edge !== undefined) return [{ name: `${edge[0]} -> ${edge[1]}`, kind: 'edge' }];
  return nodeId === undefined ? [] : [{ name: nodeId, kind: 'node' }];
}

function locationOf(span: Span, { source, index, locations }: FileContext): SarifLocation {
  const artifactLocation = locations.find(source.name, index);
  return { physicalLocation: { artifactLocation, region: regionOf(span, source) } };
}

function regionOf(span: Span, source: SourceText): SarifRegion {
  const { line, column, end_line, end_column } = lineRange(span, source);
  return { startLine: line, startColumn: column, endLine: end_line, endColumn: end_column };
}

function fixOf({ title, edits }: Fix, { source, index, locations }: FileContext): SarifFix {
  const replacements = edits.map((edit) => ({
    deletedRegion: regionOf(edit.span, source),
    insertedContent: { text: edit.text },
  }));
  return {
    description: { text: title },
    artifactChanges: [{ artifactLocation: locations.find(source.name, index), replacements }],
  };
}

/**
 * Location of a file: a path below the root as a URI relative to it, any other one as a whole URI (§3.10.2:
 * no `..` after a base).
 */
function artifactLocation(name: string, root: string | undefined): SarifArtifactLocation {
  const path = name.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  const [, drive = ''] = /^([A-Za-z]:)\//.exec(path) ?? [];
  if (drive !== '') return { uri: `file:///${drive}${encoded(path.slice(drive.length))}` };
  if (path.startsWith('/')) return { uri: `file://${encoded(path)}` };
  if (root === undefined) return { uri: encoded(path) };
  if (!path.startsWith('../')) return { uri: encoded(path), uriBaseId: rootId };
  let [base, rest] = [root, path];
  while (rest.startsWith('../')) {
    base = base.replace(/[^/]+\/$/, '');
    rest = rest.slice('../'.length);
  }
  return { uri: base + encoded(rest) };
}

function encoded(path: string): string {
  const wellFormed = path.replaceAll(/\p{Surrogate}/gu, '\ufffd');
  return wellFormed.split('/').map(encodeURIComponent).join('/');
}
