import type { Severity } from '../../diagnostic/diagnostic.js';

export interface SyntaxCodeEntry {
  readonly severity: Severity;
  /** Meaning of the code in one sentence; `attractor explain` prints it. */
  readonly summary: string;
}

const error = (summary: string) => ({ severity: 'error', summary }) as const;
const warning = (summary: string) => ({ severity: 'warning', summary }) as const;

/** Every code that a finding of rule `syntax` can carry (SEMANTICS 91). */
export const syntaxCodes = {
  // the document
  empty_file: error('The file contains only blanks and comments; a pipeline is digraph NAME { … }.'),
  binary_input: error('The file contains NUL characters, so it is not UTF-8 text.'),
  missing_digraph: error('A pipeline begins with digraph NAME {.'),
  strict_graph: error('The modifier strict is not supported, because parallel edges are meaningful.'),
  undirected_graph: error('A pipeline is a digraph; an undirected graph has no order of execution.'),
  anonymous_graph: error('A graph needs a name, which must be an identifier.'),
  second_graph: error('A file contains exactly one digraph.'),
  trailing_text: error('Nothing may follow the closing } of the graph, except one semicolon.'),
  keyword_case: error('Keywords are written in lower case.'),
  too_many_errors: error('The file has more syntax errors than are shown.'),

  // names
  quoted_id: error('Ids are bare identifiers; quoted text belongs in the label.'),
  hyphenated_id: error('An id cannot contain hyphens; use underscores.'),
  dotted_id: error('An id cannot contain dots; only attribute keys can.'),
  numeric_id: error('An id must begin with a letter or an underscore.'),
  non_ascii_id: error(
    'An id consists of the letters A to Z, digits and underscores; other text belongs in the label.',
  ),
  reserved_keyword: error('digraph, graph, node, edge and subgraph are keywords and cannot be ids.'),
  spaced_id: error('An id is one word.'),
  invalid_key: error('An attribute key is an identifier, several joined by dots, or a quoted string.'),

  // edges and blocks
  undirected_edge: error('Edges are directed and written ->, not --.'),
  wrong_arrow: error('The only edge operator is ->.'),
  missing_source: error('An edge needs a node before its ->.'),
  missing_target: error('An edge needs a node after its ->.'),
  port: error('Ports are not supported; they only affect the drawing in Graphviz.'),
  edge_to_subgraph: error('An edge connects nodes, not blocks; list the edges one by one.'),
  anonymous_block: error('A block needs the keyword subgraph before its {.'),
  nesting_limit: error('Subgraphs are nested deeper than the limit of 500 levels.'),
  size_limit: error('A pipeline has more statements and edges than the limit of 500 000.'),
  missing_brace: error('A { or } is missing.'),
  unmatched_brace: error('A } closes nothing.'),

  // attributes
  missing_comma: error('Attributes in a block must be separated by commas.'),
  trailing_comma: error('A separator is not allowed before the ] of a block.'),
  stray_comma: error('A comma has no attribute before it.'),
  stray_semicolon: error('A semicolon has no statement before it.'),
  missing_equals: error('A single = must stand between a key and its value.'),
  missing_value: error('An attribute key needs = and a value.'),
  multiple_attribute_blocks: error('A statement has at most one attribute block.'),
  misplaced_attributes: error('An attribute block must be at the end of a node or edge statement.'),
  unclosed_bracket: error('An attribute block lacks its closing ].'),

  // values
  unquoted_value: error('A value that is not a bare word, number, boolean or duration must be quoted.'),
  wrong_quotes: error('Strings must be in straight double quotes.'),
  html_string: error('HTML-like labels are not supported.'),
  string_concatenation: error('Strings cannot be joined with +; one string may span several lines.'),
  unterminated_string: error('A string has no closing quote.'),
  unescaped_quote: error('A quote inside a string is written \\"; without the backslash it ends the string.'),
  unknown_escape: warning(
    'The escapes of a string are \\" \\n \\t \\\\; other backslashes are kept as they are.',
  ),
  line_continuation: warning(
    'A backslash at the end of a line joins it with the next; both characters are removed.',
  ),

  // the rest
  unterminated_comment: error('A block comment has no closing */.'),
  hash_comment: error('Comments begin with // or are between /* and */; # does not begin a comment.'),
  unexpected_character: error('A character is not allowed here.'),
  unexpected_token: error('A word or symbol is not allowed here.'),
} as const satisfies Readonly<Record<string, SyntaxCodeEntry>>;

export type SyntaxCode = keyof typeof syntaxCodes;
