import { fc } from '../support/fast-check.js';

/*
 * Texts of right pipelines, laid out as badly as can be: any blanks and comments between any two tokens, every kind of
 * key and value, and strings, chains and stylesheets of all lengths.
 */

const comment = fc.oneof(
  fc.constantFrom(
    '/**/',
    '/* c */',
    '/* two\n * lines */',
    '/* two\n\r\n  lines */',
    '// c\n',
    '// a; [b=1] "\r\n',
    '//\r',
  ),
  fc.stringMatching(/^[a-z ,;="{}\n]{0,30}$/).map((text) => `/*${text}*/`),
);
const blank = fc.constantFrom(' ', ' ', ' ', '\n', '\n', '\n\n\n', '\r\n', '\r', '\t', '\f ');

/** What may stand between two tokens; never empty, so that it may stand between two words. */
const gap = fc
  .oneof(
    { weight: 8, arbitrary: fc.constantFrom(' ', '\n') },
    { weight: 3, arbitrary: fc.tuple(blank) },
    { weight: 2, arbitrary: fc.tuple(blank, comment, blank) },
    { weight: 1, arbitrary: fc.array(fc.oneof(blank, comment), { minLength: 1, maxLength: 6 }) },
  )
  .map((pieces) => [...pieces].join('') || ' ');

const keywords = new Set(['strict', 'digraph', 'graph', 'subgraph', 'node', 'edge']);

/** Ids that Graphviz knows too: those that are its keywords in capital letters it cannot read, and nobody can quote. */
const id = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'start', 'done', '__proto__', 'constructor'),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,30}$/).filter((name) => !keywords.has(name.toLowerCase())),
);

const words = fc.constantFrom(
  'plan',
  'the',
  'release',
  '\\n',
  '\\n',
  '\\t',
  '\\"',
  '\\\\',
  '\\d',
  '\\\n',
  '\n',
  '\r\n',
  'ü',
  '€𝒳',
  '//',
  '#',
);
const quoted = fc.oneof(
  fc.array(words, { maxLength: 60 }).map((list) => `"${list.join(' ')}"`),
  fc.array(words, { maxLength: 60 }).map((list) => `"${list.join('')}"`),
  fc.string({ unit: 'grapheme' }).map((text) => `"${text.replace(/["\\]/g, '\\$&').replaceAll('\0', '')}"`),
);

const key = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('label', 'prompt', 'condition', 'timeout', 'weight', 'shape', 'class'),
  },
  id.filter((name) => name !== 'key'),
  fc.tuple(id, id).map((parts) => parts.join('.')),
  fc.constantFrom(
    'node',
    'graph',
    'edge',
    'subgraph',
    'strict',
    'Node',
    '"two words"',
    '"a.b"',
    '"label"',
    '"node"',
  ),
  // Parallel edges with the same `key` are one edge for Graphviz.
  quoted.filter((text) => text !== '"key"'),
);
const value = fc.oneof(
  { weight: 4, arbitrary: quoted },
  fc.integer().map(String),
  fc.constantFrom('.5', '0.25', '-3.14', '007', '900s', '5ms', '-1d', 'true', 'false', '"30s"', '"5"'),
  fc.constantFrom('box', 'gpt-5.4', 'summary:high', 'node', 'Strict', 'wait.human', 'a-b'),
);
const attribute = fc
  .tuple(key, gap, gap, value)
  .map(([k, before, behind, v]) => `${k}${before}=${behind}${v}`);
const block = fc
  .tuple(gap, fc.array(fc.tuple(attribute, gap, gap), { maxLength: 5 }))
  .map(([open, items]) => `[${open}${items.map((item) => item.join('')).join(',')}]`);
const optionalBlock = fc.oneof(fc.constant(''), block);

const sheetGap = fc.constantFrom('', ' ', '\n', '\r\n  ', '/* sheet */', ' /* a\n * b */\n', '\n\n\n');
const declaration = fc
  .tuple(
    fc.constantFrom('llm_model', 'model', 'llm_provider', 'reasoning_effort', 'other'),
    sheetGap,
    fc.constantFrom(':', '=', ' : '),
    fc.constantFrom('gpt-5.2', 'claude-*', "'a b'", '\\"q;\\\\\\"\\"', 'two words', '\\"a\nb\\"'),
    sheetGap,
  )
  .map((parts) => parts.join(''));
const rule = fc
  .tuple(
    fc.constantFrom('*', 'box', '.fast', '#a', '.two-words'),
    sheetGap,
    fc.array(declaration, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', ';'),
    sheetGap,
  )
  .map(
    ([selector, before, list, end, behind]) =>
      `${selector}${before}{${behind}${list.join(';')}${end}${behind}}`,
  );
const stylesheet = fc
  .tuple(fc.array(fc.tuple(rule, sheetGap), { maxLength: 4 }), sheetGap)
  .map(([rules, before]) => `model_stylesheet="${before}${rules.flat().join('')}"`);

const separator = fc.oneof(
  gap,
  fc.tuple(gap, fc.constant(';'), gap).map((parts) => parts.join('')),
);
const chain = fc
  .oneof(
    { weight: 5, arbitrary: fc.array(fc.tuple(gap, gap, id), { maxLength: 3 }) },
    fc.array(fc.tuple(gap, gap, id), { minLength: 4, maxLength: 20 }),
  )
  .chain((targets) =>
    id.map((first) => first + targets.map(([before, behind, to]) => `${before}->${behind}${to}`).join('')),
  );

const { statements } = fc.letrec<{ statement: string; statements: string }>((tie) => ({
  statements: fc
    .tuple(gap, fc.array(fc.tuple(tie('statement'), separator), { maxLength: 5 }))
    .map(([before, list]) => before + list.flat().join('')),
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(chain, gap, optionalBlock).map((parts) => parts.join('')),
    attribute,
    fc.tuple(fc.constantFrom('graph', 'node', 'edge'), gap, block).map((parts) => parts.join('')),
    fc
      .tuple(gap, fc.option(id), gap, tie('statements'))
      .map(([before, name, behind, inner]) => `subgraph${before}${name ?? ''}${behind}{${inner}}`),
  ),
}));

/** A right pipeline; its stylesheet, if it has one, may have an error. */
export const pipelineText = fc
  .tuple(gap, id, gap, fc.option(stylesheet), fc.boolean(), statements, gap, fc.constantFrom('', ';'), gap)
  .map(([before, name, behind, sheet, inBlock, inner, end, semicolon, last]) => {
    const first = sheet === null ? '' : inBlock ? `graph [goal="x", ${sheet}]` : `${sheet}\n`;
    return `${before}digraph${before}${name}${behind}{${first}${inner}${end}}${end}${semicolon}${last}`;
  });
