import { typeNames } from '../../src/parser/key-list/ast.js';
import { namespaces } from '../../src/parser/namespaces.js';
import { type Grammar, type Production, readGrammar } from './ebnf.js';
import { productionsOf } from './productions.js';
import type { Layout } from './recognize.js';

/** A language of the toolchain, as `grammar/<name>.ebnf` describes it. */
export interface Language {
  readonly name: string;
  readonly title: string;
  /** What the notation cannot say. */
  readonly notes: readonly string[];
  readonly syntax: readonly Production[];
  readonly tokens: readonly Production[];
  readonly layout: Layout;
}

/** What parts of a token are: in single quotes inside of a table, so that they can be read. */
const character = '[#x1-#x10FFFF]';
const text = `'"' ( [^"\\] | '\\' ${character} )* '"'`;

const dot: Language = {
  name: 'dot',
  title: 'Pipelines: the subset of Graphviz DOT (§2.2 of the specification; SEMANTICS 1-17)',
  notes: [
    'Blanks and Comments may appear between any two tokens. The longest possible token is read. A letter outside of ASCII cannot',
    'follow a word; a blank, a comment, "->" or one of , ; [ ] { } " must follow a bare value. Keywords are lower case. A "-" belongs',
    'to a BareWord unless it begins "->". In a String, \\" \\n \\t and \\\\ are escapes; a backslash before any other character is kept,',
    'with a warning. The type of a value depends on its attribute, not on its spelling. Subgraphs nest at most 500 levels deep. A byte',
    'order mark at the beginning of a file is ignored.',
  ],
  syntax: productionsOf('dot/grammar.ts'),
  tokens: table({
    Identifier: 'Word - Keyword',
    QualifiedId: "Word ( '.' Word )*",
    Word: '[A-Za-z_] [A-Za-z0-9_]*',
    Keyword: "'digraph' | 'graph' | 'node' | 'edge' | 'subgraph'",
    String: text,
    Integer: "'-'? [0-9]+",
    Float: "'-'? [0-9]* '.' [0-9]+",
    Boolean: "'true' | 'false'",
    Duration: "'-'? [0-9]+ ( 'ms' | 's' | 'm' | 'h' | 'd' )",
    BareWord: "[A-Za-z_] ( [A-Za-z0-9_.:] | '-' )*",
    Blanks: '[#x9-#xD#x20]+',
    Comment: 'LineComment | BlockComment',
    LineComment: "'//' [^#xA#xD]*",
    BlockComment: "'/*' ( [^*] | '*'+ [^*/] )* '*'+ '/'",
  }),
  layout: {
    between: /(?:[ \t-\r]|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y,
    goesOn: /[A-Za-z0-9_.:\u0080-\uffff]|-(?![>-])/y,
  },
};

const condition: Language = {
  name: 'condition',
  title: 'Conditions of edges (§10.2 of the specification; SEMANTICS §12, 44)',
  notes: [
    'Blanks may appear between any two tokens. An edge whose condition is empty or blank is unconditional. The longest possible token',
    'is read. true, false and exists are keywords only if no operator follows, and exists only if a word follows. A BareLiteral',
    'extends, including its blanks, to && or ||, an unmatched ")", or the end. A single & or | is an ordinary character. In a String,',
    'only \\" and \\\\ are escapes. A Pattern that is not a Key is an RE2 regular expression. Parentheses, lists and ! nest at most',
    '200 levels deep.',
  ],
  syntax: productionsOf('condition/grammar.ts'),
  tokens: table({
    Key: "Name ( '.' ( Name | [0-9]+ | '*' ) )*",
    Name: '[A-Za-z_] [A-Za-z0-9_]*',
    Number: "( '+' | '-' )? ( [0-9]+ '.'? [0-9]* | '.' [0-9]+ )",
    Bare: "BareCharacter+ - ( Namespace '.' BareCharacter* )",
    BareCharacter: '[^()#x5B#x5D",=<>!&|#x9-#xD#x20]',
    Namespace: alternatives(namespaces),
    String: text,
    BareLiteral: '( LiteralStart | Group ) ( LiteralCharacter | Group )* OpenGroup*',
    Group: "'(' ( LiteralCharacter | Group )* ')'",
    OpenGroup: "'(' ( LiteralCharacter | Group )*",
    LiteralStart: '[^()"&|=#x9-#xD#x20]',
    LiteralCharacter: '[^()"&|]',
    Blanks: '[#x9-#xD#x20]+',
  }),
  layout: { between: /\s*/y, goesOn: /[^\s()[\],"=<>!&|]/y },
};

const stylesheet: Language = {
  name: 'stylesheet',
  title: 'Model stylesheets (§8.2 and §11.10 of the specification; SEMANTICS 45, 46)',
  notes: [
    'Blanks and Comments may appear between any two tokens. The longest possible token is read. A BareValue ends before "/*", and',
    'before a blank that is followed by a property and its ":"; trailing blanks are not part of it. In a String with double quotes,',
    '\\" and \\\\ are escapes. model and provider are read as llm_model and llm_provider; unknown properties are kept, with a warning.',
  ],
  syntax: productionsOf('stylesheet/grammar.ts'),
  tokens: table({
    ShapeName: 'Word',
    Property: 'Word',
    Word: '[A-Za-z_] [A-Za-z0-9_-]*',
    ClassName: "'.' [A-Za-z0-9_-]+",
    NodeId: "'#' [A-Za-z_] [A-Za-z0-9_]*",
    String: `${text} | "'" [^']* "'"`,
    BareValue: `ValueStart [^;{}"'#xA#xD]*`,
    ValueStart: `[^;{}"'#x9-#xD#x20]`,
    Blanks: '[#x9-#xD#x20]+',
    Comment: "'/*' ( [^*] | '*'+ [^*/] )* '*'+ '/'",
  }),
  layout: { between: /(?:\s|\/\*[\s\S]*?\*\/)*/y, goesOn: /[A-Za-z0-9_-]/y },
};

const keyList: Language = {
  name: 'key-list',
  title: 'Lists of keys: inputs, reads and writes (SEMANTICS 100)',
  notes: [
    'Blanks may appear between any two tokens. The longest possible token is read. "context." or "state." at the beginning of a key',
    'is ignored. A BareWord that is not JSON is a text; in a List or a Map, texts must be in quotes. A repeated key is an error in a',
    'list of Entries, a warning in PlainKeys. A type cannot repeat a word, and a default must have the declared type.',
  ],
  syntax: productionsOf('key-list/grammar.ts'),
  tokens: table({
    Key: "[A-Za-z_] KeyCharacter* ( '.' KeyCharacter+ )*",
    KeyCharacter: "[A-Za-z0-9_] | '-'",
    TypeName: alternatives(typeNames),
    ChoiceWord: 'KeyCharacter+ - TypeName',
    Number: "'-'? ( '0' | [1-9] [0-9]* ) ( '.' [0-9]+ )? ( ( 'e' | 'E' ) ( '+' | '-' )? [0-9]+ )?",
    BareWord: '[^,;:|?=#x5B#x5D{}"#x9-#xD#x20]+',
    String: `'"' ( [^"\\#x0-#x1F] | '\\' ( ["\\/bfnrt] | 'u' Hex Hex Hex Hex ) )* '"'`,
    Hex: '[0-9A-Fa-f]',
    Blanks: '[#x9-#xD#x20]+',
  }),
  layout: { between: /\s*/y, goesOn: /[^\s,;:|?=[\]{}"]/y },
};

const property: Language = {
  name: 'property',
  title: 'Properties of runs: check.<name> of the graph (SEMANTICS 144)',
  notes: [
    'Blanks may appear between any two tokens. The longest possible token is read. A name that is a Keyword must be a String; other',
    'words of the language, such as "run" and "end", may be names as they are. In a String, only \\" and \\\\ are escapes.',
  ],
  syntax: productionsOf('property/grammar.ts'),
  tokens: table({
    StageWord: "'stage' | 'stages'",
    Integer: '[0-9]+',
    Word: '[^=,"#x9-#xD#x20]+ - Keyword',
    Keyword:
      "'class' | 'completes' | 'reaches' | 'has' | 'passed' | 'failed' | 'after' | 'before' | 'never' | 'no' | 'or' | 'stage' | 'stages'",
    String: text,
    Blanks: '[#x9-#xD#x20]+',
  }),
  layout: { between: /\s*/y, goesOn: /[^\s,="]/y },
};

const template: Language = {
  name: 'template',
  title: 'Values in prompts, commands and other texts (SEMANTICS §12, "Values at run time")',
  notes: [
    'Blanks are not skipped. A Value or an Escape is read wherever possible. Everything else is plain text, such as ${HOME}, whose',
    'name is not a namespace. An Escape becomes one dollar sign for each Pair, followed by the braces as written; each Pair before a',
    'Value becomes a dollar sign too. A command is read the same way, but its values reach the shell as variables.',
  ],
  syntax: table({ Template: '( Value | Escape | Character )*' }),
  tokens: table({
    Value: "Pair* '${' Path '}'",
    Escape: "Pair+ '{' Path '}'",
    Pair: "'$$'",
    Path: "Namespace ( '.' ( Name | [0-9]+ | '*' ) )+",
    Namespace: alternatives(namespaces),
    Name: '[A-Za-z_] [A-Za-z0-9_]*',
    Character: '[#x0-#x10FFFF]',
  }),
  layout: { between: /(?:)/y, goesOn: /(?!)/y },
};

export const languages: readonly Language[] = [dot, condition, stylesheet, keyList, property, template];

export function grammarOf({ syntax, tokens }: Language): Grammar {
  return readGrammar(syntax, tokens);
}

/** The text of `grammar/<name>.ebnf`. */
export function ebnfOf({ title, notes, syntax, tokens }: Language): string {
  const width = Math.max(...[...syntax, ...tokens].map((production) => production.name.length));
  const line = (production: Production): string =>
    `${production.name.padEnd(width)} ::= ${production.definition}`;
  return [
    `/* ${title}.`,
    '',
    '   The notation is the EBNF of the W3C (XML 1.0, section 6): [a-z] is one character of a range, [^a] any character except these,',
    '   #xA a character by its code point, and A - B an A that is not a B. The first rule describes a whole text.',
    '',
    ...notes.map((note) => `   ${note}`),
    '',
    '   Generated from the productions in src/parser by `npx vitest run test/grammar -u`; tests parse sentences of it. */',
    '',
    ...syntax.map(line),
    '',
    '/* Tokens, without blanks or comments between their parts. */',
    '',
    ...tokens.map(line),
    '',
  ].join('\n');
}

function table(definitions: Readonly<Record<string, string>>): readonly Production[] {
  return Object.entries(definitions).map(([name, definition]) => ({ name, definition }));
}

function alternatives(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' | ');
}
