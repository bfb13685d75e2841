import ts from 'typescript';

/** Calls of `query` whose SQL is put together, and not a text of the source: `line: text`. Values belong into parameters. */
export function findBuiltQueries(text: string): readonly string[] {
  if (!text.includes('.query')) return [];
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const constants = new Set<string>();
  const found: string[] = [];
  const collect = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && isText(node.initializer))
      if ((node.parent.flags & ts.NodeFlags.Const) !== 0) constants.add(node.name.text);
    ts.forEachChild(node, collect);
  };
  const visit = (node: ts.Node): void => {
    const [given] = ts.isCallExpression(node) && isQuery(node.expression) ? node.arguments : [];
    const sql = given && (textIn(given) ?? given);
    const isConstant = sql !== undefined && ts.isIdentifier(sql) && constants.has(sql.text);
    if (sql !== undefined && !isText(sql) && !isConstant) {
      const { line } = file.getLineAndCharacterOfPosition(sql.getStart());
      found.push(`${line + 1}: ${sql.getText().replace(/\s+/g, ' ')}`);
    }
    ts.forEachChild(node, visit);
  };
  collect(file);
  visit(file);
  return found;
}

/** SQL of a query with a name, which is an object. */
function textIn(query: ts.Expression): ts.Expression | undefined {
  if (!ts.isObjectLiteralExpression(query)) return undefined;
  // What is spread may have another one.
  if (query.properties.some(ts.isSpreadAssignment)) return undefined;
  const text = query.properties.find(({ name }) => name?.getText() === 'text');
  return text !== undefined && ts.isPropertyAssignment(text) ? text.initializer : undefined;
}

function isText(node: ts.Node | undefined): boolean {
  return node !== undefined && ts.isStringLiteralLike(node);
}

function isQuery(callee: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(callee) && callee.name.text === 'query';
}
