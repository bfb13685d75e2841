import ts from 'typescript';
import { isEventType } from '../../src/machine/event.js';

/**
 * Where a text decides by the type of an event: a case, a comparison, or a list of types.
 * @returns `line: type`
 */
export function findEventTypes(text: string): readonly string[] {
  const file = ts.createSourceFile('file.tsx', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && isEventType(node.text) && decides(node.parent)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${line + 1}: ${node.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function decides(parent: ts.Node): boolean {
  return ts.isCaseClause(parent) || ts.isBinaryExpression(parent) || ts.isArrayLiteralExpression(parent);
}
