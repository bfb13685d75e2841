import type { Span } from '../../diagnostic/source.js';
import type { Graph } from '../../graph/graph.js';
import type { DotDialect } from './dot-dialect.js';
import { type MigratedText, statementsOf } from './migrated-text.js';
import { spellKey } from './rewrite-attributes.js';

/** Applies the rules of a dialect that look at more than one statement. */
export function rewritePipeline(migrated: MigratedText, graph: Graph, dialect: DotDialect): void {
  for (const rule of dialect.pipeline) {
    for (const change of rule(graph, migrated.source)) {
      switch (change.kind) {
        case 'set':
          migrated.addToNode(change.nodeId, `${spellKey(change.name)}=${change.raw}`);
          break;
        case 'set_edge':
          migrated.addToEdge(change.edge, `${spellKey(change.name)}=${change.raw}`);
          break;
        case 'prologue':
          migrated.prologue(change.statement);
          break;
        case 'epilogue':
          migrated.epilogue(change.statement);
          break;
        case 'replace':
          migrated.replace(change.span, change.text);
          break;
        case 'drop_node':
          migrated.dropNode(change.nodeId, change.message);
          break;
        case 'note':
          migrated.noteAt(statementAround(migrated, change.span), change.span, change.note);
          break;
      }
    }
  }
}

/** Innermost statement around a position; the pipeline where there is none. */
function statementAround({ tree }: MigratedText, { start }: Span): Span {
  let around = tree.span;
  for (const { span } of statementsOf(tree.statements)) {
    if (span.start <= start && start < span.end) around = span;
  }
  return around;
}
