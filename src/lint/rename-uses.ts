import type { Diagnostic, TextEdit } from '../diagnostic/diagnostic.js';
import type { SourceText } from '../diagnostic/source.js';
import { gateChoices } from '../graph/choices.js';
import type { Attribute, Graph } from '../graph/graph.js';
import type { DotParseResult } from '../parser/dot/ast.js';
import { mapSpan } from '../parser/dot/value-places.js';
import { nodeSelectors } from '../parser/stylesheet/node-selectors.js';
import { isWritten } from './findings-inside.js';
import { type WrittenAttribute, writtenAttributes } from './written-attributes.js';

/**
 * Findings of the parser whose fixes that rename a node (`my-node`) also rename it in the attributes and in
 * the stylesheet that name it (SEMANTICS 11). Each use is renamed by the fix of the first mention.
 */
export function renameUses(
  { diagnostics, renamed }: DotParseResult,
  graph: Graph,
  source: SourceText,
): readonly Diagnostic[] {
  if (renamed === undefined) return diagnostics;
  const uses = new Map<string, TextEdit[]>();
  for (const { name, edit } of usesOf(renamed, graph, source)) {
    const edits = uses.get(name);
    if (edits === undefined) uses.set(name, [edit]);
    else edits.push(edit);
  }
  return diagnostics.map((diagnostic) => {
    const name = writtenName(diagnostic);
    const edits = name === undefined ? undefined : uses.get(name);
    if (name === undefined || edits === undefined || diagnostic.fix === undefined) return diagnostic;
    uses.delete(name);
    return { ...diagnostic, fix: { ...diagnostic.fix, edits: [...diagnostic.fix.edits, ...edits] } };
  });
}

/** Name that the fix of a finding writes. */
function writtenName({ span, fix }: Diagnostic): string | undefined {
  return fix?.edits.find((edit) => edit.span.start === span.start && edit.span.end === span.end)?.text;
}

interface Use {
  readonly name: string;
  readonly edit: TextEdit;
}

function* usesOf(renamed: ReadonlyMap<string, string>, graph: Graph, source: SourceText): Iterable<Use> {
  for (const written of writtenAttributes(graph, (one) => isWritten(one, source))) {
    const { attribute } = written;
    const text = String(attribute.value);
    if (attribute.name === 'model_stylesheet' && written.owner === 'graph') {
      for (const { id, span } of nodeSelectors(text)) {
        const name = renamed.get(id);
        const span2 = mapSpan(source, attribute.valueSpan, span);
        if (name !== undefined) yield { name, edit: { span: span2, text: name } };
      }
    }
    const name = namesNode(written, graph) ? renamed.get(text) : undefined;
    if (name !== undefined) yield { name, edit: { span: insideOf(attribute, source), text: name } };
  }
}

/**
 * True if the value is the id of a node; the default choice of a gate may be the caption of an edge as
 * well.
 */
function namesNode({ attribute, definition, node }: WrittenAttribute, graph: Graph): boolean {
  switch (definition?.names) {
    case 'node':
      return true;
    case 'choice':
      return !gateChoices(graph, node?.id ?? '').some(({ label }) => label === attribute.value);
    case undefined:
      return false;
  }
}

/** Span of the value without its quotes. */
function insideOf({ valueSpan }: Attribute, { text }: SourceText) {
  if (text[valueSpan.start] !== '"') return valueSpan;
  return { start: valueSpan.start + 1, end: valueSpan.end - 1 };
}
