/** Shapes that Graphviz draws; it draws any other as a box, with a warning. */
const graphvizShapes: ReadonlySet<string> = new Set([
  ...[
    'box',
    'polygon',
    'ellipse',
    'oval',
    'circle',
    'point',
    'egg',
    'triangle',
    'plaintext',
    'plain',
    'none',
  ],
  ...['diamond', 'trapezium', 'parallelogram', 'house', 'pentagon', 'hexagon', 'septagon', 'octagon'],
  ...['doublecircle', 'doubleoctagon', 'tripleoctagon', 'invtriangle', 'invtrapezium', 'invhouse'],
  ...[
    'Mdiamond',
    'Msquare',
    'Mcircle',
    'rect',
    'rectangle',
    'square',
    'star',
    'underline',
    'cylinder',
    'note',
  ],
  ...['tab', 'folder', 'box3d', 'component', 'promoter', 'cds', 'terminator', 'utr', 'primersite'],
  ...[
    'restrictionsite',
    'fivepoverhang',
    'threepoverhang',
    'noverhang',
    'assembly',
    'signature',
    'insulator',
  ],
  ...['ribosite', 'rnastab', 'proteasesite', 'proteinstab', 'rpromoter', 'rarrow', 'larrow', 'lpromoter'],
  ...['record', 'Mrecord', 'epsf'],
]);

export function isGraphvizShape(name: string): boolean {
  return graphvizShapes.has(name);
}
