import type { ChalkInstance } from 'chalk';
import type { Compilation } from '../../compiler/compile.js';
import { printable } from '../../diagnostic/printable.js';
import type { SourceText } from '../../diagnostic/source.js';
import type { Program } from '../../graph/program.js';
import type { RunOverlay, VisitedNode } from '../../render/run-overlay.js';
import {
  type CoveragePoint,
  coveragePoints,
  type PointKind,
  pointId,
  pointKinds,
} from '../coverage-points.js';
import type { FileResult } from '../run-cases.js';
import { addCoverage, type Coverage } from '../watch-coverage.js';

/** Coverage of one pipeline by all its tests. */
export interface PipelineCoverage {
  readonly program: Program;
  readonly source: SourceText;
  readonly coverage: Coverage;
  /** Number of cases. */
  readonly cases: number;
}

/** Coverage of each pipeline by all cases of the files about it. */
export function coverageOf(files: readonly FileResult[]): readonly PipelineCoverage[] {
  const byName = new Map<string, { readonly compilation: Compilation; readonly coverages: Coverage[] }>();
  for (const { compilation, cases } of files) {
    if (compilation?.program === undefined || cases.length === 0) continue;
    const { name } = compilation.source;
    const known = byName.get(name) ?? { compilation, coverages: [] };
    known.coverages.push(...cases.map(({ coverage }) => coverage));
    byName.set(name, known);
  }
  return [...byName.values()].flatMap(({ compilation: { program, source }, coverages }) =>
    program === undefined
      ? []
      : [{ program, source, coverage: addCoverage(coverages), cases: coverages.length }],
  );
}

/** Coverage as plain data. */
export function coverageJson(one: PipelineCoverage): object {
  const { program, coverage, source } = one;
  return {
    pipeline: source.name,
    points: coveragePoints(program).map(({ id, kind, text, nodeId, span }) => {
      const { line, column } = source.positionAt(span.start);
      return { kind, node_id: nodeId, text, line, column, count: coverage.get(id) ?? 0 };
    }),
  };
}

const titles: Readonly<Record<PointKind, string>> = {
  node: 'nodes',
  edge: 'edges',
  condition: 'conditions',
  choice: 'choices',
  failure: 'failures',
};

/** Table of the covered shares, and below it everything that is not covered, with its place. */
export function renderCoverage(pipelines: readonly PipelineCoverage[], chalk: ChalkInstance): string {
  const rows = [['coverage', ...pointKinds.map((kind) => titles[kind])]];
  for (const one of pipelines)
    rows.push([printable(one.source.name), ...pointKinds.map((kind) => share(one, kind))]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row, index) => {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    return index === 0 ? chalk.bold(cells.join('  ')) : cells.join('  ');
  });
  const open = pipelines.flatMap((one) => uncoveredLines(one, chalk));
  return `${[...lines, ...(open.length === 0 ? [] : ['', 'not covered', ...open])].join('\n')}\n`;
}

function share({ program, coverage }: PipelineCoverage, kind: PointKind): string {
  const points = coveragePoints(program).filter((point) => point.kind === kind);
  if (points.length === 0) return '-';
  const covered = points.filter(({ id }) => coverage.has(id)).length;
  return `${covered}/${points.length} ${Math.floor((100 * covered) / points.length)}%`;
}

/** Points that no test covers. */
function uncoveredPoints({ program, coverage }: PipelineCoverage): readonly CoveragePoint[] {
  return coveragePoints(program).filter(({ id }) => !coverage.has(id));
}

function uncoveredLines(one: PipelineCoverage, chalk: ChalkInstance): readonly string[] {
  return uncoveredPoints(one).map(({ text, span }) => {
    const { line, column } = one.source.positionAt(span.start);
    return `  ${printable(text)}  ${chalk.dim(`${printable(one.source.name)}:${line}:${column}`)}`;
  });
}

/** Coverage as LCOV tracefile over the text of the pipeline: nodes are functions, all that has an alternative a branch. */
export function renderLcov(pipelines: readonly PipelineCoverage[]): string {
  return pipelines.map(lcovOf).join('');
}

function lcovOf({ program, source, coverage }: PipelineCoverage): string {
  const points = coveragePoints(program);
  const lineOf = ({ span }: CoveragePoint): number => source.positionAt(span.start).line;
  const hits = ({ id }: CoveragePoint): number => coverage.get(id) ?? 0;
  const nodes = points.filter(({ kind }) => kind === 'node');
  const branches = points.filter(({ kind }) => kind !== 'node' && kind !== 'edge');
  const lines = new Map<number, number>();
  for (const point of points.filter(({ kind }) => kind === 'node' || kind === 'edge')) {
    const line = lineOf(point);
    // A line is covered if all of it is.
    lines.set(line, Math.min(lines.get(line) ?? Number.POSITIVE_INFINITY, hits(point)));
  }
  const block = new Map<string, number>();
  const records = [
    'TN:',
    `SF:${source.name}`,
    ...nodes.map((point) => `FN:${lineOf(point)},${lcovName(point.nodeId)}`),
    ...nodes.map((point) => `FNDA:${hits(point)},${lcovName(point.nodeId)}`),
    `FNF:${nodes.length}`,
    `FNH:${nodes.filter((point) => hits(point) > 0).length}`,
    ...branches.map((point) => {
      const line = lineOf(point);
      const key = `${line}`;
      const index = block.get(key) ?? 0;
      block.set(key, index + 1);
      return `BRDA:${line},0,${index},${hits(point) > 0 ? hits(point) : isReached(point, coverage) ? 0 : '-'}`;
    }),
    `BRF:${branches.length}`,
    `BRH:${branches.filter((point) => hits(point) > 0).length}`,
    ...[...lines].sort(([one], [other]) => one - other).map(([line, count]) => `DA:${line},${count}`),
    `LF:${lines.size}`,
    `LH:${[...lines.values()].filter((count) => count > 0).length}`,
    'end_of_record',
  ];
  return `${records.join('\n')}\n`;
}

/** True if a run came to the node of a point at all. */
function isReached({ nodeId }: CoveragePoint, coverage: Coverage): boolean {
  return coverage.has(pointId.node(nodeId));
}

/** Name of a node in a file of lines. */
function lcovName(id: string): string {
  return printable(id);
}

/** Coverage as colours over the picture of the pipeline: what is done, what is done in part, what never. */
export function coverageOverlay(one: PipelineCoverage): RunOverlay {
  const { program, coverage, cases } = one;
  const open = new Map<string, CoveragePoint[]>();
  for (const point of uncoveredPoints(one))
    if (point.kind !== 'edge') open.set(point.nodeId, [...(open.get(point.nodeId) ?? []), point]);
  const nodes = new Map<string, VisitedNode>();
  for (const { id } of program.nodes.values()) {
    const visits = coverage.get(pointId.node(id)) ?? 0;
    const missing = open.get(id) ?? [];
    if (visits > 0)
      nodes.set(id, { state: missing.length === 0 ? 'done' : 'waiting', visits, words: wordsOf(missing) });
  }
  const edges = program.graph.edges.map(
    ({ index }) => [index, coverage.get(pointId.edge(index)) ?? 0] as const,
  );
  const points = coveragePoints(program);
  const covered = points.filter(({ id }) => coverage.has(id)).length;
  const caption = `${cases} ${cases === 1 ? 'case' : 'cases'} · ${covered} of ${points.length} covered`;
  return { caption, nodes, edges: new Map(edges), jumps: [] };
}

/** What is missing at a node, in a few words. */
function wordsOf(missing: readonly CoveragePoint[]): string {
  const failures = missing.filter(({ kind }) => kind === 'failure').length;
  const others = missing.length - failures;
  const parts = [...(failures > 0 ? ['never fails'] : []), ...(others > 0 ? [`${others} untested`] : [])];
  return parts.join(', ');
}
