import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from './markdown.js';

/** A title of a test or of a group of tests. */
export interface TestTitle {
  /** From the folder of the tests, with slashes. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** The titles in all test files, those of tables included: their names, and what stands first in their rows. */
export function testTitles(): readonly TestTitle[] {
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .flatMap((name) => titlesIn(name, readFileSync(path.join(root, 'test', name), 'utf8')));
}

/** The titles in the text of a file. A test that is skipped or still to be written proves nothing. */
export function titlesIn(name: string, text: string): readonly TestTitle[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const file = name.split(path.sep).join('/');
  const titles: TestTitle[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /\.(?:skip|todo)\b(?!If)/.test(calleeOf(node))) return;
    const title = titleOf(node);
    if (title !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(title.getStart());
      titles.push({ file, line: line + 1, text: title.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

type Literal = ts.StringLiteralLike | ts.TemplateHead;

function titleOf(node: ts.Node): Literal | undefined {
  if (ts.isCallExpression(node) && /^(?:describe|test|it)\b/.test(calleeOf(node))) {
    return literalIn(node.arguments[0]);
  }
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'name') return literalIn(node.initializer);
  if (ts.isArrayLiteralExpression(node)) return literalIn(node.elements[0]);
  return undefined;
}

/** `test`, `test.each([…])`, `describe.skipIf(…)`: what is called, without the tables in it. */
function calleeOf(node: ts.CallExpression): string {
  const callee = node.expression;
  if (ts.isCallExpression(callee)) return calleeOf(callee);
  return callee.getText();
}

/** What a title that has values in it begins with is enough: it says what is tested. */
function literalIn(node: ts.Node | undefined): Literal | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node;
  return ts.isTemplateExpression(node) ? node.head : undefined;
}
