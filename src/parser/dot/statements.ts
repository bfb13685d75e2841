import { type IToken, tokenMatcher } from 'chevrotain';
import type { Fix } from '../../diagnostic/diagnostic.js';
import type { AttributeNode, Identifier, Statement, ValueNode } from './ast.js';
import { type AttributeBlock, reportJunk } from './attribute-list.js';
import { readKey, readName } from './names.js';
import { readNodeId } from './node-id.js';
import type { NodeNames } from './node-names.js';
import { advice, describe, endOf, guess, type Report, replacement, shortExcerpt, spanOf } from './report.js';
import * as t from './tokens.js';
import type { TreeBuilder } from './tree.js';

/** Turns parsed tokens into statements of the tree, and reports the mistakes in each (§2.2, §2.3). */
export interface Statements {
  /** `key = value` */
  assign(key: IToken, value: ValueNode | undefined): void;
  /**
   * Adds a statement. `chain` holds one name for a node or a block of defaults, more for an edge. `next`
   * and `afterNext` come after the statement.
   */
  nodeOrEdge(
    chain: readonly IToken[],
    block: AttributeBlock | undefined,
    next: IToken,
    afterNext: IToken,
  ): void;
  /** `next` is the token after it, which shows why a target is missing. */
  edgeOperator(token: IToken, target: IToken | undefined, next: IToken): void;
  /** An edge operator at the beginning of a statement; the token before shows why. */
  missingSource(operator: IToken, before: IToken): void;
  port(colon: IToken, name: IToken | undefined): void;
  /** Several blocks after one statement */
  joinBlocks(blocks: readonly AttributeBlock[]): AttributeBlock;
  attributesAlone(block: AttributeBlock): void;
  /** `subgraph name? {` */
  openSubgraph(keyword: IToken, name: IToken | undefined, brace: IToken | undefined, next: IToken): void;
  /** `{` or `name {`, without `subgraph` */
  openAnonymous(name: IToken | undefined, brace: IToken): void;
  /** A sign that begins no statement */
  stray(token: IToken): void;
}

export function createStatements(tree: TreeBuilder, names: NodeNames, report: Report): Statements {
  /** True if an earlier finding explains the next `{`. */
  let braceExplained = false;
  /** Offset of a word before a block that was meant as the keyword `subgraph`. */
  let keywordStart: number | undefined;

  return {
    assign(key, value) {
      const name = readKey(key, report);
      if (value === undefined) return;
      const span = { start: key.startOffset, end: value.span.end };
      tree.add({ kind: 'attribute', attribute: { key: name, value, span }, span });
    },

    nodeOrEdge(chain, block, next, afterNext) {
      const [first] = chain;
      if (first === undefined) return;
      if (chain.length === 1 && block === undefined && isBlockKeyword(first) && opensBlock(next, afterNext)) {
        reportBlockKeyword(first, report);
        braceExplained = true;
        keywordStart = first.startOffset;
        return;
      }
      const kind = chain.length === 1 && block !== undefined ? DEFAULTS.get(first.tokenType) : undefined;
      const start = first.startOffset;
      const attributes = block?.attributes ?? [];
      if (kind !== undefined) {
        tree.add({ kind, attributes, span: { start, end: block?.span.end ?? endOf(first) } });
      } else {
        const ids = chain.map((token) =>
          readNodeId(token, names, report, chain.length === 1 ? block : undefined),
        );
        addNodeOrEdge(tree, ids, attributes, block);
      }
    },

    edgeOperator(token, target, next) {
      if (token.tokenType !== t.Arrow) reportOperator(token, report);
      if (target !== undefined) return;
      if (next.tokenType === t.LCurly || next.tokenType === t.Subgraph) {
        braceExplained = next.tokenType === t.LCurly;
        reportEdgeToBlock(token, report);
      } else {
        report.add(
          'missing_target',
          spanOf(token),
          `expected a node after ${token.image}, found ${describe(next)}`,
        );
      }
    },

    missingSource(operator, before) {
      const span = spanOf(operator);
      if (before.tokenType === t.RCurly) {
        reportEdgeToBlock(operator, report);
      } else if (before.tokenType === t.RSquare) {
        const message =
          'attributes go at the end of an edge statement; give the nodes theirs in separate statements';
        report.add('misplaced_attributes', span, message);
      } else {
        const message = `expected a node before ${operator.image}`;
        report.addUnlessSameLine('missing_source', span, message);
      }
    },

    port(colon, name) {
      const span = { start: colon.startOffset, end: endOf(name ?? colon) };
      const text = report.text.slice(span.start, span.end);
      const fix = replacement('remove the port', span, '');
      report.add('port', span, `ports like ${text} are not part of the language; edges join nodes`, {
        fix: name === undefined ? guess(fix) : fix,
      });
    },

    joinBlocks(blocks) {
      blocks.forEach((block, index) => {
        const previous = blocks[index - 1];
        if (previous !== undefined) reportSecondBlock(previous, block, report);
      });
      return {
        attributes: blocks.flatMap((block) => block.attributes),
        span: { start: blocks[0]?.span.start ?? 0, end: blocks.at(-1)?.span.end ?? 0 },
        sound: false,
      };
    },

    attributesAlone(block) {
      const bracketSpan = { start: block.span.start, end: block.span.start + 1 };
      const message = 'an attribute block belongs after a node, an edge, or the keyword graph, node or edge';
      report.addUnlessSameLine('misplaced_attributes', bracketSpan, message);
    },

    openSubgraph(keyword, name, brace, next) {
      const id = name === undefined ? undefined : readName(name, 'subgraph name', report);
      if (brace !== undefined) {
        tree.openBlock(keyword.startOffset, id, brace);
        return;
      }
      const nameSpan = spanOf(name ?? keyword);
      report.add(
        'missing_brace',
        nameSpan,
        `expected "{" after ${describe(name ?? keyword)}, found ${describe(next)}`,
      );
    },

    openAnonymous(name, brace) {
      const id = name === undefined ? undefined : readSubgraphName(name, keywordStart !== undefined, report);
      const start = keywordStart ?? (name ?? brace).startOffset;
      if (!braceExplained && !isSubgraphMiscased(name)) {
        const nameSpan = spanOf(name ?? brace);
        report.add(
          'anonymous_block',
          nameSpan,
          `a block needs the keyword subgraph before ${describe(name ?? brace)}`,
          {
            fix: fixForAnonymous(start, name, report),
          },
        );
      }
      braceExplained = false;
      keywordStart = undefined;
      tree.openBlock(start, id, brace);
    },

    stray(token) {
      const span = spanOf(token);
      if (token.tokenType === t.Semicolon) {
        // Only the first one of a line is reported; its fix removes the following ones too.
        const others = /^(?:[ \t]*;)*/.exec(report.text.slice(span.end, span.end + 200))?.[0].length ?? 0;
        report.addUnlessSameLine('stray_semicolon', span, 'no statement comes before this ";"', {
          fix: replacement('remove it', { start: span.start, end: span.end + others }, ''),
        });
      } else if (token.tokenType === t.Comma) {
        const message = 'commas only separate attributes; write one statement for each node and edge';
        report.addUnlessSameLine('unexpected_token', span, message);
      } else {
        reportJunk(token, 'a statement or "}"', report);
      }
    },
  };
}

const DEFAULTS: ReadonlyMap<unknown, 'graph_attributes' | 'node_defaults' | 'edge_defaults'> = new Map([
  [t.GraphKeyword, 'graph_attributes'],
  [t.NodeKeyword, 'node_defaults'],
  [t.EdgeKeyword, 'edge_defaults'],
]);

function addNodeOrEdge(
  tree: TreeBuilder,
  ids: readonly Identifier[],
  attributes: readonly AttributeNode[],
  block: AttributeBlock | undefined,
): void {
  const [first] = ids;
  const last = ids.at(-1);
  if (first === undefined || last === undefined) return;
  const span = { start: first.span.start, end: block?.span.end ?? last.span.end };
  const statement: Statement =
    ids.length === 1
      ? { kind: 'node', id: first, attributes, span }
      : { kind: 'edge', chain: ids, attributes, span };
  tree.add(statement);
}

/**
 * Fix for a `{` after a name, or after another word on its line; a guess, because it may have been meant as
 * a `[`.
 */
function fixForAnonymous(start: number, name: IToken | undefined, report: Report): Fix {
  const fix = replacement('insert subgraph', { start, end: start }, 'subgraph ');
  const isStatement = /(?:^|[\n;{}\]])[ \t]*$/.test(report.text.slice(Math.max(0, start - 200), start));
  return name === undefined && isStatement ? fix : guess(fix);
}

function reportOperator(operator: IToken, report: Report): void {
  const span = spanOf(operator);
  const before = /\s/.test(report.text[span.start - 1] ?? ' ') ? '' : ' ';
  const separator = /\s/.test(report.text[span.end] ?? ' ') ? '' : ' ';
  const fix = replacement('write ->', span, `${before}->${separator}`);
  if (operator.tokenType === t.Undirected) {
    report.add(
      'undirected_edge',
      span,
      `edges are directed: write -> instead of ${shortExcerpt(operator.image)}`,
      { fix },
    );
  } else if (operator.image.startsWith('<')) {
    report.add(
      'wrong_arrow',
      span,
      `${describe(operator)} is not an edge operator; write the source first, then ->`,
      {
        fix: advice('write the source, ->, the target'),
      },
    );
  } else {
    report.add('wrong_arrow', span, `${describe(operator)} is not an edge operator; write ->`, { fix });
  }
}

function reportEdgeToBlock(operator: IToken, report: Report): void {
  const message = 'an edge connects nodes, not blocks: list the edges one by one';
  report.add('edge_to_subgraph', spanOf(operator), message, {
    fix: advice('write one edge for each node of the block'),
  });
}

function reportSecondBlock(first: AttributeBlock, second: AttributeBlock, report: Report): void {
  const seam = { start: first.span.end - 1, end: second.span.start + 1 };
  const joinable =
    first.sound &&
    second.sound &&
    first.attributes.length > 0 &&
    second.attributes.length > 0 &&
    /^\]\s*\[$/.test(report.text.slice(seam.start, seam.end));
  const bracketSpan = { start: second.span.start, end: second.span.start + 1 };
  report.add(
    'multiple_attribute_blocks',
    bracketSpan,
    'a statement has one attribute block; put all attributes into it',
    {
      fix: joinable ? replacement('join the blocks', seam, ', ') : advice('join the blocks'),
    },
  );
}

/** `Subgraph x {`, `graph x {`, `digraph x {` inside of a graph. */
function isBlockKeyword(token: IToken): boolean {
  return token.tokenType === t.Digraph || token.tokenType === t.GraphKeyword || isSubgraphMiscased(token);
}

function isSubgraphMiscased(token: IToken | undefined): boolean {
  return token?.tokenType === t.Word && token.image.toLowerCase() === 'subgraph';
}

function opensBlock(next: IToken, afterNext: IToken): boolean {
  return afterNext.tokenType === t.LCurly && isWordLike(next);
}

function isWordLike(token: IToken): boolean {
  return tokenMatcher(token, t.Name);
}

function reportBlockKeyword(token: IToken, report: Report): void {
  const span = spanOf(token);
  if (isSubgraphMiscased(token)) {
    report.add('keyword_case', span, `keywords are written in lower case: subgraph, not ${token.image}`, {
      fix: replacement('write subgraph', span, 'subgraph'),
    });
  } else {
    report.add('second_graph', span, 'a file contains one digraph; is a "}" missing before this one?');
  }
}

/** The name in `name {`; none if the name is a misspelt `subgraph` or another keyword of a block. */
function readSubgraphName(name: IToken, afterKeyword: boolean, report: Report): Identifier | undefined {
  if (!afterKeyword && isBlockKeyword(name)) {
    reportBlockKeyword(name, report);
    return undefined;
  }
  return readName(name, 'subgraph name', report);
}
