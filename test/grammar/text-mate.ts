import { attributeDefinition, attributeNames, familiesOf } from '../../src/graph/attributes.js';
import { handlerTypes } from '../../src/graph/handler-types.js';
import { stageStatuses } from '../../src/graph/stage-status.js';
import { suppressionWords } from '../../src/lint/suppressions.js';
import { namespaces } from '../../src/parser/namespaces.js';

/** A rule of a TextMate grammar; editors read no more of them than this. */
interface Rule {
  readonly name?: string;
  readonly contentName?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly include?: string;
  readonly captures?: Captures;
  readonly beginCaptures?: Captures;
  readonly endCaptures?: Captures;
  readonly patterns?: readonly Rule[];
}

type Captures = Readonly<Record<string, { readonly name?: string; readonly patterns?: readonly Rule[] }>>;

/** `grammar/attractor.tmLanguage.json`: how editors colour a pipeline. The names in it are those of the tables. */
export function textMateGrammar(): string {
  const grammar = {
    $schema: 'https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json',
    name: 'Attractor pipeline',
    scopeName,
    fileTypes: ['dot', 'gv'],
    patterns: include('comment', 'header', 'statement'),
    repository: { ...structure, ...values, ...insides },
  };
  return `${JSON.stringify(grammar, null, 2)}\n`;
}

export const scopeName = 'source.attractor.dot';

function include(...names: readonly string[]): readonly Rule[] {
  return names.map((name) => ({ include: `#${name}` }));
}

function captures(...names: readonly string[]): Captures {
  return Object.fromEntries(
    names.flatMap((name, index) => (name === '' ? [] : [[String(index + 1), { name: `${name}.attractor` }]])),
  );
}

const names = [...new Set((['graph', 'node', 'edge'] as const).flatMap(attributeNames))];
const isFamily = (name: string): boolean => name.endsWith('*');
const known = alternatives(names.filter((name) => !isFamily(name)));
const prefixes = (['graph', 'node', 'edge'] as const).flatMap(familiesOf);
const family = `(?:${prefixes.map((prefix) => prefix.replaceAll('.', '\\.')).join('|')})`;
const word = '[A-Za-z_][A-Za-z0-9_]*';
const end = '(?![A-Za-z0-9_.])';

/** The longest first, because the first one that fits is taken. */
function alternatives(words: readonly string[]): string {
  return words
    .toSorted((one, other) => other.length - one.length || (one < other ? -1 : 1))
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|');
}

/** The attributes whose strings are in a language of their own. */
const conditions = names.filter((name) => name === 'condition' || name.endsWith('_condition'));

function ownString(attribute: readonly string[], contentName: string, patterns: readonly Rule[]): Rule {
  return {
    begin: `(?<![A-Za-z0-9_.])("?)(${alternatives(attribute)})("?)\\s*(=)\\s*(")`,
    beginCaptures: captures(
      'punctuation.definition.string',
      'entity.other.attribute-name.known',
      'punctuation.definition.string',
      'keyword.operator.assignment',
      'punctuation.definition.string.begin',
    ),
    end: '"',
    endCaptures: { 0: { name: 'punctuation.definition.string.end.attractor' } },
    contentName: `${contentName}.attractor`,
    patterns,
  };
}

/**
 * A string in a language that another grammar colours. Each of its lines is coloured alone: what that grammar leaves open, such as a quote, ends
 * with the line at the latest, and never runs over the end of the string.
 */
function foreignString(attribute: readonly string[], contentName: string, scope: string): Rule {
  const patterns = [...include('value-path', 'goal', 'escape'), { include: scope }];
  return ownString(attribute, contentName, [
    { match: '(?:[^"\\\\]|\\\\[\\s\\S])+', captures: { 0: { patterns } } },
    // Never reached. Editors load the other grammar because of it: they look for names of grammars in patterns only.
    { include: scope },
  ]);
}

/** Attributes with shell commands, and those with texts that models read as Markdown. */
const commands = namesWithTemplate('shell');
const prompts = namesWithTemplate('text').filter((name) => name.endsWith('prompt'));

function namesWithTemplate(template: 'shell' | 'text'): readonly string[] {
  const owners = ['graph', 'node', 'edge'] as const;
  return names.filter((name) =>
    owners.some((owner) => attributeDefinition(owner, name)?.template === template),
  );
}

const structure: Readonly<Record<string, Rule>> = {
  comment: {
    patterns: [
      {
        match: `(//)\\s*(${alternatives(suppressionWords)})(?![A-Za-z-])([^-\\r\\n]*(?:-(?!-)[^-\\r\\n]*)*)(--.*)?$`,
        name: 'comment.line.double-slash.suppression.attractor',
        captures: captures(
          'punctuation.definition.comment',
          'keyword.control.suppression',
          'support.constant.rule',
        ),
      },
      { match: '//.*$', name: 'comment.line.double-slash.attractor' },
      { begin: '/\\*', end: '\\*/', name: 'comment.block.attractor' },
    ],
  },
  header: {
    patterns: [
      {
        match: `\\b(digraph)\\s+(${word})`,
        captures: captures('keyword.control.graph', 'entity.name.type.pipeline'),
      },
      {
        match: `\\b(subgraph)\\b(?!\\s*=)(?:\\s+(${word}))?`,
        captures: captures('keyword.control.subgraph', 'entity.name.section.subgraph'),
      },
      { match: '\\b(graph|node|edge)(?=\\s*\\[)', captures: captures('storage.type.defaults') },
    ],
  },
  statement: {
    patterns: [
      ...include('attribute', 'attributes', 'value'),
      { match: '->', name: 'keyword.operator.edge.attractor' },
      { match: '--|<-', name: 'invalid.illegal.edge.attractor' },
      { match: word, name: 'variable.other.node.attractor' },
      { match: '[{}]', name: 'punctuation.section.block.attractor' },
      { match: ';', name: 'punctuation.terminator.statement.attractor' },
    ],
  },
  attributes: {
    begin: '\\[',
    end: '\\]',
    name: 'meta.attributes.attractor',
    beginCaptures: { 0: { name: 'punctuation.section.attributes.begin.attractor' } },
    endCaptures: { 0: { name: 'punctuation.section.attributes.end.attractor' } },
    patterns: [
      ...include('comment', 'attribute', 'value'),
      { match: ',', name: 'punctuation.separator.attributes.attractor' },
    ],
  },
  attribute: {
    patterns: [
      ownString(conditions, 'meta.embedded.condition', include('condition')),
      ownString(['model_stylesheet'], 'meta.embedded.stylesheet', include('stylesheet')),
      foreignString(commands, 'meta.embedded.block.shell', 'source.shell'),
      foreignString(prompts, 'meta.embedded.block.markdown', 'text.html.markdown'),
      {
        match: `(?<![A-Za-z0-9_."])(shape)\\s*(=)\\s*("?)(${alternatives(shapes())})\\b("?)`,
        captures: captures(
          'entity.other.attribute-name.known',
          'keyword.operator.assignment',
          '',
          'support.constant.shape',
        ),
      },
      key(`(?:${known})|${family}[A-Za-z0-9_.]+`, 'entity.other.attribute-name.known'),
      key(`${word}(?:\\.${word})*`, 'entity.other.attribute-name'),
    ],
  },
};

/** Quoted or not, before the sign that makes it a key. */
function key(pattern: string, name: string): Rule {
  return {
    match: `(?<![A-Za-z0-9_.])(?:(")(${pattern})(")|(${pattern}))\\s*(=)`,
    captures: captures(
      'punctuation.definition.string',
      name,
      'punctuation.definition.string',
      name,
      'keyword.operator.assignment',
    ),
  };
}

function shapes(): readonly string[] {
  return handlerTypes.flatMap((row) => ('shape' in row ? [row.shape] : []));
}

const closedSets = names.flatMap((name) =>
  (['graph', 'node', 'edge'] as const).flatMap((owner) => attributeDefinition(owner, name)?.values ?? []),
);

const values: Readonly<Record<string, Rule>> = {
  value: {
    patterns: [
      {
        begin: '"',
        end: '"',
        name: 'string.quoted.double.attractor',
        patterns: include('value-path', 'goal', 'escape'),
      },
      { match: `(?<==)\\s*(true|false)${end}`, captures: captures('constant.language.boolean') },
      {
        match: `(?<==)\\s*(-?[0-9]+)(ms|s|m|h|d)${end}`,
        captures: captures('constant.numeric.duration', 'keyword.other.unit'),
      },
      { match: `(?<==)\\s*(-?[0-9]*\\.?[0-9]+)${end}`, captures: captures('constant.numeric') },
      {
        match: `(?<==)\\s*(${alternatives([...new Set(closedSets)])})(?![A-Za-z0-9_.:-])`,
        captures: captures('support.constant.value'),
      },
      { match: `(?<==)\\s*([A-Za-z_](?:[A-Za-z0-9_.:]|-(?!>))*)`, captures: captures('string.unquoted') },
    ],
  },
  'value-path': {
    patterns: [
      { match: '(?:\\$\\$)+\\{[^{}"]*\\}', name: 'constant.character.escape.value.attractor' },
      {
        match: `(\\$\\{)((?:${alternatives(namespaces)})(?:\\.[A-Za-z0-9_]+)+)(\\})`,
        name: 'meta.template.value.attractor',
        captures: captures(
          'punctuation.definition.template.begin',
          'variable.other.value',
          'punctuation.definition.template.end',
        ),
      },
    ],
  },
  goal: { match: '\\$goal(?![A-Za-z0-9_])', name: 'variable.language.goal.attractor' },
  escape: {
    patterns: [
      { match: '\\\\["\\\\nt]', name: 'constant.character.escape.attractor' },
      { match: '\\\\.', name: 'invalid.deprecated.escape.attractor' },
    ],
  },
};

/** Texts within strings stand between escaped quotes. */
const quotedInside: Rule = {
  begin: '\\\\"',
  end: '\\\\"|(?=(?<!\\\\)")',
  name: 'string.quoted.double.inside.attractor',
  patterns: [{ match: '\\\\\\\\(?:\\\\.|.)', name: 'constant.character.escape.attractor' }],
};

const insides: Readonly<Record<string, Rule>> = {
  condition: {
    patterns: [
      quotedInside,
      { match: '&&|\\|\\||!(?!=)', name: 'keyword.operator.logical.attractor' },
      {
        match: `(==|!=|=)\\s*(?:(${alternatives(stageStatuses)})(?=\\s*(?:&&|\\|\\||\\)|"|$))|([^\\s"\\\\&|()=][^"\\\\&|()]*))?`,
        captures: captures(
          'keyword.operator.comparison',
          'support.constant.outcome',
          'string.unquoted.literal',
        ),
      },
      { match: '<=?|>=?', name: 'keyword.operator.comparison.attractor' },
      {
        match: '(?<![A-Za-z0-9_.])(not\\s+in|in|contains|matches|exists)(?![A-Za-z0-9_.=!]|\\s*!?=)',
        name: 'keyword.operator.word.attractor',
      },
      { match: `\\b(true|false)${end}(?!\\s*[=<>!])`, name: 'constant.language.boolean.attractor' },
      { match: '[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?![A-Za-z0-9_])', name: 'constant.numeric.attractor' },
      { match: `\\b(outcome|preferred_label)${end}`, name: 'variable.language.attractor' },
      { match: `${word}(?:\\.[A-Za-z0-9_]+)*`, name: 'variable.other.key.attractor' },
      { match: '[()\\[\\],]', name: 'punctuation.section.condition.attractor' },
      ...include('escape'),
    ],
  },
  stylesheet: {
    patterns: [
      { begin: '/\\*', end: '\\*/|(?=(?<!\\\\)")', name: 'comment.block.stylesheet.attractor' },
      {
        begin: '\\{',
        end: '\\}|(?=(?<!\\\\)")',
        name: 'meta.declarations.attractor',
        patterns: [
          { begin: '/\\*', end: '\\*/|(?=(?<!\\\\)")', name: 'comment.block.stylesheet.attractor' },
          {
            match: '([A-Za-z_][A-Za-z0-9_-]*)\\s*([:=])',
            captures: captures('support.type.property-name', 'punctuation.separator.key-value'),
          },
          quotedInside,
          { match: ';', name: 'punctuation.terminator.declaration.attractor' },
          { match: '[^\\s;{}"\\\\]+', name: 'string.unquoted.attractor' },
          ...include('escape'),
        ],
      },
      { match: '\\*', name: 'entity.name.tag.universal.attractor' },
      { match: '\\.[A-Za-z0-9_-]+', name: 'entity.other.attribute-name.class.attractor' },
      { match: '#[A-Za-z0-9_]+', name: 'entity.other.attribute-name.id.attractor' },
      { match: '[A-Za-z_][A-Za-z0-9_-]*', name: 'entity.name.tag.shape.attractor' },
      ...include('escape'),
    ],
  },
};
