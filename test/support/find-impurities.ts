import ts from 'typescript';

/**
 * What pure code must not touch, as `line: text`. Types settle most of it (tsconfig.core.json knows neither Node nor
 * the browser), but the clock and randomness are part of the language.
 */
export function findImpurities(text: string): string[] {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isImpure(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${line + 1}: ${node.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const impureMembers = new Set(['Date.now', 'Math.random', 'performance.now', 'crypto.randomUUID']);
const impureObjects = new Set(['process', 'console', 'globalThis', 'navigator']);
const impureCalls = new Set(['Date', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch']);

function isImpure(node: ts.Node): boolean {
  if (ts.isNewExpression(node))
    return isNamed(node.expression, 'Date') && (node.arguments ?? []).length === 0;
  if (ts.isCallExpression(node))
    return ts.isIdentifier(node.expression) && impureCalls.has(node.expression.text);
  if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) return false;
  const object = node.expression;
  if (!ts.isIdentifier(object)) return false;
  return (
    impureObjects.has(object.text) ||
    (ts.isPropertyAccessExpression(node) && impureMembers.has(node.getText()))
  );
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}
