import type { IToken } from 'chevrotain';
import type { DotGraph, ValueNode } from './ast.js';
import { type AttributeList, createAttributeList } from './attribute-list.js';
import { type Header, openGraph, reportTrailing } from './header.js';
import type { NodeNames } from './node-names.js';
import { describe, endOf, guess, type Report, replacement, spanOf } from './report.js';
import { createStatements, type Statements } from './statements.js';
import { createTreeBuilder } from './tree.js';
import { concatenate, readValue } from './values.js';

/** Actions of the grammar during one parse. */
export interface Actions {
  readonly statements: Statements;
  readonly list: AttributeList;
  header(header: Header): void;
  isGraphOpen(): boolean;
  /** The `}` of a block or of the graph. */
  close(brace: IToken): void;
  /** Reads a value. `before` is the sign in place of `=`, `next` the token in place of a missing value. */
  value(before: IToken, token: IToken | undefined, next: IToken): ValueNode | undefined;
  concatenate(left: ValueNode | undefined, plus: IToken, right: IToken | undefined): ValueNode | undefined;
  /** `key "text"`, or a key alone. */
  attributeWithoutEquals(key: IToken, text: IToken | undefined): void;
  /** Handles the first token after the graph. */
  trailing(token: IToken, next: IToken): void;
  /** Returns the graph, once all tokens are read. */
  finish(): DotGraph | undefined;
}

export function createActions(names: NodeNames, report: Report): Actions {
  const tree = createTreeBuilder(report);
  const list = createAttributeList(report);
  return {
    statements: createStatements(tree, names, report),
    list,
    header: (header) => openGraph(header, tree, report),
    isGraphOpen: tree.isOpen,
    close: tree.close,
    finish: tree.finish,
    value(before, token, next) {
      if (before.image !== '=') reportNoEquals(before, report);
      if (token !== undefined) return readValue(token, report);
      const insertion = { start: endOf(before), end: endOf(before) };
      report.add('missing_value', insertion, () => `expected a value after "=", found ${describe(next)}`);
      return undefined;
    },
    concatenate(left, plus, right) {
      const value = right === undefined ? undefined : readValue(right, report);
      return left === undefined ? value : concatenate(left, plus, value, report);
    },
    attributeWithoutEquals(key, text) {
      if (text === undefined) {
        list.attribute(key, undefined, undefined);
        return;
      }
      const insertion = { start: endOf(key), end: endOf(key) };
      const message = () => `expected "=" between ${describe(key)} and ${describe(text)}`;
      const fix = replacement('insert =', insertion, '=');
      // A word that touches the quote may be the end of a text.
      const isApart = text.startOffset > insertion.end;
      report.add('missing_equals', insertion, message, { fix: isApart ? fix : guess(fix) });
      list.attribute(key, key, readValue(text, report));
    },
    trailing: (token, next) => reportTrailing(token, next, report),
  };
}

function reportNoEquals(sign: IToken, report: Report): void {
  const message = `expected "=" between key and value, found ${describe(sign)}`;
  report.add('missing_equals', spanOf(sign), message, { fix: replacement('write =', spanOf(sign), '=') });
}
