/**
 * The attributes that only change how Graphviz draws a graph. They may stand anywhere, subgraphs included, and are never
 * unknown to lint.
 */
const graphvizAttributes: ReadonlySet<string> = new Set([
  ...['arrowhead', 'arrowsize', 'arrowtail', 'bgcolor', 'center', 'clusterrank', 'color', 'colorscheme'],
  ...['comment', 'compound', 'concentrate', 'constraint', 'decorate', 'dir', 'dpi', 'fillcolor', 'fixedsize'],
  ...['fontcolor', 'fontname', 'fontsize', 'forcelabels', 'gradientangle', 'group', 'headlabel', 'headport'],
  ...['height', 'href', 'id', 'image', 'labelangle', 'labeldistance', 'labelfloat', 'labelfontcolor'],
  ...[
    'labelfontname',
    'labelfontsize',
    'labeljust',
    'labelloc',
    'layout',
    'lhead',
    'ltail',
    'margin',
    'minlen',
  ],
  ...['newrank', 'nodesep', 'ordering', 'orientation', 'outputorder', 'overlap', 'pack', 'pad', 'page'],
  ...[
    'pencolor',
    'penwidth',
    'peripheries',
    'pos',
    'rank',
    'rankdir',
    'ranksep',
    'ratio',
    'regular',
    'rotate',
  ],
  ...['samehead', 'sametail', 'sep', 'sides', 'size', 'skew', 'sortv', 'splines', 'style', 'stylesheet'],
  ...['taillabel', 'tailport', 'target', 'tooltip', 'URL', 'width', 'xlabel'],
]);

export function isGraphvizAttribute(name: string): boolean {
  return graphvizAttributes.has(name);
}
