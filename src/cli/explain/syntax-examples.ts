import type { SyntaxCode } from '../../parser/dot/syntax-codes.js';

/** Lines that the parser finds something in, and what is written instead. */
export interface SyntaxExample {
  readonly bad: string;
  readonly good: string;
  /** True if these are whole files, not lines of a graph. */
  readonly isFile?: true;
}

const lines = (bad: string, good: string): SyntaxExample => ({ bad, good });
const file = (bad: string, good: string): SyntaxExample => ({ bad, good, isFile: true });

/**
 * Examples of all syntax codes that a line can show (SEMANTICS 91); others, such as that of an empty file,
 * have none.
 */
export const syntaxExamples: Readonly<Partial<Record<SyntaxCode, SyntaxExample>>> = {
  missing_digraph: file('Release { … }', 'digraph Release {}'),
  strict_graph: file('strict digraph Release {}', 'digraph Release {}'),
  undirected_graph: file('graph Release {}', 'digraph Release {}'),
  anonymous_graph: file('digraph {}', 'digraph Release {}'),
  second_graph: file('digraph Build {}\ndigraph Release {}', 'digraph Release {}'),
  trailing_text: file('digraph Release {} and more', 'digraph Release {} // and more'),
  keyword_case: file('Digraph Release {}', 'digraph Release {}'),

  quoted_id: lines('"build"', 'build'),
  hyphenated_id: lines('run-tests', 'run_tests [label="run-tests"]'),
  dotted_id: lines('build.test', 'build_test [label="build.test"]'),
  numeric_id: lines('2nd_try', 'second_try [label="2nd_try"]'),
  non_ascii_id: lines('prüfen', 'check [label="prüfen"]'),
  reserved_keyword: lines('start -> node', 'start -> node_1'),
  spaced_id: file('digraph My Release {}', 'digraph MyRelease {}'),
  invalid_key: lines('build [max-retries=2]', 'build [max_retries=2]'),

  undirected_edge: lines('build -- test', 'build -> test'),
  wrong_arrow: lines('build => test', 'build -> test'),
  missing_source: lines('-> test', 'build -> test'),
  missing_target: lines('build ->', 'build -> test'),
  port: lines('build:n -> test', 'build -> test'),
  edge_to_subgraph: lines('build -> { lint test }', 'build -> lint\nbuild -> test'),
  anonymous_block: lines('{ lint }', 'subgraph { lint }'),
  missing_brace: file('digraph Release { build', 'digraph Release { build }'),
  unmatched_brace: file('digraph Release { build } }', 'digraph Release { build }'),

  missing_comma: lines('build [shape=box prompt="Build it"]', 'build [shape=box, prompt="Build it"]'),
  trailing_comma: lines('build [shape=box,]', 'build [shape=box]'),
  stray_comma: lines('build [, shape=box]', 'build [shape=box]'),
  stray_semicolon: lines('; build', 'build;'),
  missing_equals: lines('build [shape: box]', 'build [shape=box]'),
  missing_value: lines('build [shape=]', 'build [shape=box]'),
  multiple_attribute_blocks: lines(
    'build [shape=box] [prompt="Build it"]',
    'build [shape=box, prompt="Build it"]',
  ),
  misplaced_attributes: lines('build [shape=box] -> test', 'build -> test\nbuild [shape=box]'),
  unclosed_bracket: lines('build [shape=box', 'build [shape=box]'),

  unquoted_value: lines('build [llm_model=3.5-turbo]', 'build [llm_model="3.5-turbo"]'),
  wrong_quotes: lines("build [prompt='Build it']", 'build [prompt="Build it"]'),
  html_string: lines('build [label=<b>Build</b>]', 'build [label="Build"]'),
  string_concatenation: lines('build [prompt="Build" + " it"]', 'build [prompt="Build it"]'),
  unterminated_string: lines('build [prompt="Build it]', 'build [prompt="Build it"]'),
  unknown_escape: lines('build [tool_command="grep \\d"]', 'build [tool_command="grep \\\\d"]'),
  line_continuation: lines('build [prompt="Build \\\nit"]', 'build [prompt="Build it"]'),

  unterminated_comment: lines('/* why', '/* why */'),
  hash_comment: lines('# why', '// why'),
  unexpected_character: lines('build & test', 'build\ntest'),
  unexpected_token: lines('build ]', 'build'),
};
