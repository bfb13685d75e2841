/**
 * Attributes that only change how Graphviz draws a graph. They are valid anywhere, subgraphs included, and
 * never unknown to lint.
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
  ...['edgeURL', 'edgehref', 'edgetarget', 'edgetooltip', 'headURL', 'headclip', 'headhref', 'headtarget'],
  ...[
    'headtooltip',
    'labelURL',
    'labelhref',
    'labeltarget',
    'labeltooltip',
    'tailURL',
    'tailclip',
    'tailhref',
  ],
  ...['tailtarget', 'tailtooltip', 'head_lp', 'tail_lp', 'lp', 'xlp', 'lheight', 'lwidth', 'bb', 'cluster'],
  ...['imagepath', 'imagepos', 'imagescale', 'shapefile', 'distortion', 'samplepoints', 'vertices', 'rects'],
  ...['layer', 'layers', 'layersep', 'layerselect', 'layerlistsep', 'nojustify', 'len', 'pin', 'z', 'area'],
  ...['charset', 'fontnames', 'fontpath', 'landscape', 'linelength', 'resolution', 'rotation', 'truecolor'],
  ...[
    'viewport',
    'xdotversion',
    '_background',
    'packmode',
    'normalize',
    'notranslate',
    'quantum',
    'showboxes',
  ],
  ...['mclimit', 'nslimit', 'nslimit1', 'searchsize', 'remincross', 'TBbalance', 'beautify', 'oneblock'],
]);

export function isGraphvizAttribute(name: string): boolean {
  return graphvizAttributes.has(name);
}
