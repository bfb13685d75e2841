import { applyFixes } from '../../diagnostic/apply-fixes.js';
import { type Diagnostic, hasErrors } from '../../diagnostic/diagnostic.js';
import { lower } from '../../graph/lower.js';
import { exitNodes, startNodes } from '../../graph/queries.js';
import type { DotGraph } from '../../parser/dot/ast.js';
import { parseDot } from '../../parser/dot/parse.js';
import type { Importer, ImportResult, MigrationNote } from '../importer.js';
import type { DotDialect } from './dot-dialect.js';
import { MigratedText } from './migrated-text.js';
import { rewriteAttributes } from './rewrite-attributes.js';
import { rewritePipeline } from './rewrite-pipeline.js';
import { countSigns, readSigns } from './signs.js';

/** Importer of a dialect in DOT, which edits the text: comments, order and layout stay. */
export function dotImporter(dialect: DotDialect): Importer {
  const { name, title } = dialect;
  return {
    name,
    title,
    format: 'dot',
    recognize: (text) => countSigns(readSigns(text), dialect),
    migrate: (text) => migrateDot(text, dialect),
  };
}

function migrateDot(written: string, dialect: DotDialect): ImportResult {
  const { text, repaired, diagnostics, tree } = readDot(written);
  if (tree === undefined || hasErrors(diagnostics)) return { kind: 'unreadable', diagnostics };
  const { graph } = lower({ graph: tree, comments: [] });
  if (startNodes(graph).length === 0 && exitNodes(graph).length === 0)
    return { kind: 'unreadable', diagnostics: [noPipeline(tree)] };
  const migrated = new MigratedText(text, tree);
  for (const diagnostic of repaired) migrated.note(repairNote(diagnostic));
  rewritePipeline(migrated, graph, dialect);
  rewriteAttributes(migrated, graph, dialect);
  return { kind: 'migrated', text: migrated.finish(dialect.title), notes: migrated.notes() };
}

interface ReadDot {
  readonly text: string;
  /** Mistakes of syntax that were mended, such as missing commas. */
  readonly repaired: readonly Diagnostic[];
  readonly diagnostics: readonly Diagnostic[];
  readonly tree: DotGraph | undefined;
}

/** More rounds than dependent repairs ever need. */
const mostRounds = 20;

/** Reads a text, with all mistakes of syntax mended that have only one remedy. */
function readDot(written: string): ReadDot {
  let text = written;
  const repaired: Diagnostic[] = [];
  for (let round = 0; ; round += 1) {
    const { document, diagnostics } = parseDot(text, { findingLimit: Number.POSITIVE_INFINITY });
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const fixed = applyFixes(text, errors);
    if (fixed.applied.length === 0 || round === mostRounds)
      return { text, repaired, diagnostics: errors, tree: document.graph };
    repaired.push(...fixed.applied);
    ({ text } = fixed);
  }
}

function repairNote({ span, message }: Diagnostic): MigrationNote {
  return { kind: 'rewritten', span, message: `mended: ${message}` };
}

function noPipeline({ name }: DotGraph): Diagnostic {
  return {
    rule: 'start_node',
    severity: 'error',
    message: `"${name.name}" is a Graphviz drawing, not a pipeline: it has neither a start nor an exit`,
    span: name.span,
  };
}
