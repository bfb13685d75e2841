import ts from 'typescript';

const joint = /['"`]\s*\+\s*['"`]/g;
const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm;

/**
 * The strings, the texts of JSX and the comments of a source text, each at its place: the code around them is replaced by
 * characters that belong to no word.
 */
export function textsOf(source: string): string {
  const texts = source.replace(/\S/g, '\0').split('');
  const keep = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) texts[at] = source.charAt(at);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isJsxText(node)) keep(node.getStart(), node.getEnd());
    else if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node))
      keep(node.getStart() + 1, node.getEnd() - (node.getText().endsWith('${') ? 2 : 1));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.tsx', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  for (const { 0: found, index } of source.matchAll(joint)) texts.fill(' ', index, index + found.length);
  for (const { 0: found, index } of source.matchAll(comment)) keep(index, index + found.length);
  return texts.join('');
}
