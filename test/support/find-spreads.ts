import ts from 'typescript';

export interface FoundSpreads {
  /** Spreads of object literals, whose fields could stand where the spread stands: `line: text`. */
  readonly ofLiterals: readonly string[];
  /** Spreads of an object literal that is there only under a condition, likewise. */
  readonly conditional: readonly string[];
}

/** The spreads in object literals that plain fields could replace: a field that may be absent may be undefined. */
export function findSpreads(text: string): FoundSpreads {
  const file = ts.createSourceFile('file.tsx', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const ofLiterals: string[] = [];
  const conditional: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isSpreadAssignment(node)) {
      const spread = bare(node.expression);
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      const place = `${line + 1}: ${node.getText().replace(/\s+/g, ' ')}`;
      if (ts.isObjectLiteralExpression(spread)) ofLiterals.push(place);
      else if (isConditional(spread)) conditional.push(place);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { ofLiterals, conditional };
}

function isConditional(expression: ts.Expression): boolean {
  if (ts.isConditionalExpression(expression))
    return [expression.whenTrue, expression.whenFalse].some((one) => ts.isObjectLiteralExpression(bare(one)));
  return (
    ts.isBinaryExpression(expression) &&
    expression.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken
  );
}

/** Without the parentheses and assertions around it. */
function bare(expression: ts.Expression): ts.Expression {
  const isWrapped = ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression);
  return isWrapped ? bare(expression.expression) : expression;
}
