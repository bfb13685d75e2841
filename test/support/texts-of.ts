import ts from 'typescript';

const joint = /^['"`]\s*\+\s*['"`]$/;
const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm;

/**
 * The strings, the texts of JSX and the comments of a source text, each at its place: the code around them is replaced by
 * characters that belong to no word.
 */
export function textsOf(source: string): string {
  const kept: [from: number, to: number][] = [];
  const file = ts.createSourceFile('source.tsx', source, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX);
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isJsxText(node)) kept.push([node.getStart(file), node.end]);
    else if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node))
      kept.push([node.getStart(file) + 1, node.end - (source.startsWith('${', node.end - 2) ? 2 : 1)]);
    ts.forEachChild(node, visit);
  };
  visit(file);
  for (const { 0: found, index } of source.matchAll(comment)) kept.push([index, index + found.length]);
  const parts: string[] = [];
  let end = 0;
  for (const [from, to] of kept.sort(([one], [other]) => one - other)) {
    if (to <= end) continue;
    parts.push(codeOf(source.slice(end, Math.max(from, end))), source.slice(Math.max(from, end), to));
    end = to;
  }
  return [...parts, codeOf(source.slice(end))].join('');
}

/** Code between texts: no word, but the joint of two strings is white space. */
function codeOf(code: string): string {
  return code.replace(/\S/g, joint.test(code) ? ' ' : '\0');
}
