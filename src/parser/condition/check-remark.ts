import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';
import type { KeyOperand, LiteralOperand, Operand } from './ast.js';
import type { Remark, Test } from './grammar.js';
import { patternOf } from './pattern.js';
import { conditionError, writeOperator } from './syntax-error.js';
import { isKeyPath, readsMembers } from './words.js';

/**
 * Judges constructs that the grammar accepts but the language does not, or that are probably not meant
 * (SEMANTICS 44, 44e).
 */
export function checkRemark(remark: Remark): Diagnostic | undefined {
  switch (remark.kind) {
    case 'double_equals':
      return doubleEquals(remark.span);
    case 'bare_text':
      return bareText(remark.literal);
    case 'word':
      return remark.operand.kind === 'key' ? checkKey(remark.operand) : singleQuotes(remark.operand);
    case 'pattern':
      return checkPattern(remark.operand);
    case 'tested':
      return checkTest(remark.operand, remark.by);
  }
}

function doubleEquals(span: Span): Diagnostic {
  return {
    rule: 'condition_double_equals',
    severity: 'warning',
    message: 'found "=="; the operator for "equals" is "="',
    span,
    fix: { title: 'replace "==" by "="', edits: [{ span, text: '=' }] },
  };
}

/**
 * `and`, `or`, `&`, `|` before a text that reads as another clause: the author does not mean a text of many
 * words.
 */
const wordOperator =
  /\s(and|or|&|\|)\s+(?:not\s+|!\s*|\(\s*)*(?:exists\s|(?:context|state|inputs)\.|[a-z_][\w.]*\s*(?:[=<>]|!=|(?:not\s+)?in\s*\[|(?:contains|matches)\s))/i;

function bareText(literal: LiteralOperand): Diagnostic | undefined {
  // Most texts are one word, for which the long expression is not even compiled.
  if (!/\s/.test(literal.value)) return singleQuotes(literal);
  const joined = wordOperator.exec(literal.value);
  if (joined?.[1] !== undefined) {
    const start = literal.span.start + joined.index + 1;
    const meant = /^[a&]/i.test(joined[1]) ? '&&' : '||';
    return conditionError(
      { start, end: start + joined[1].length },
      `"${joined[1]}" is not an operator; write "${meant}" between two clauses, or put the value in double quotes`,
      writeOperator({ start, end: start + joined[1].length }, meant),
    );
  }
  const inSingleQuotes = singleQuotes(literal);
  if (inSingleQuotes !== undefined) return inSingleQuotes;
  return {
    rule: 'condition_syntax',
    code: 'unquoted_text',
    severity: 'info',
    message:
      'the value continues to the end of the clause, including blanks; put it in double quotes to make that clear',
    span: literal.span,
    fix: {
      title: 'put the value in double quotes',
      edits: [{ span: literal.span, text: inDoubleQuotes(literal.value) }],
    },
  };
}

function inDoubleQuotes(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function singleQuotes(literal: LiteralOperand): Diagnostic | undefined {
  if (literal.quoted || !/^'.*'$/s.test(literal.value)) return undefined;
  return {
    rule: 'condition_syntax',
    code: 'single_quotes',
    severity: 'warning',
    message: `the single quotes are part of the value; write "${literal.value.slice(1, -1)}" in double quotes`,
    span: literal.span,
    // The condition is valid as it stands, so only a person can decide that it is not meant.
    fix: {
      title: 'write double quotes',
      edits: [{ span: literal.span, text: inDoubleQuotes(literal.value.slice(1, -1)) }],
      unsafe: true,
    },
  };
}

function checkKey({ path, span }: KeyOperand): Diagnostic | undefined {
  if (isKeyPath(path)) return undefined;
  return conditionError(
    span,
    `"${path}" is not a key; expected names of letters, digits and underscores joined by dots, such as "context.tests_passed" (put a text in double quotes)`,
  );
}

function checkPattern(operand: Operand): Diagnostic | undefined {
  switch (operand.kind) {
    case 'key':
      return undefined;
    case 'list':
      return conditionError(
        operand.span,
        'found a list after "matches"; put a regular expression in double quotes',
      );
    case 'literal': {
      const result = patternOf(operand);
      if (result.kind === 'pattern') return undefined;
      return conditionError(operand.span, `"matches" cannot use this regular expression: ${result.reason}`);
    }
  }
}

/** Tests that take a list: the others compare its text, or do not hold for any list (SEMANTICS 105). */
const testsOfLists: ReadonlySet<Test> = new Set(['in', 'not in', 'contains', 'matches']);

function checkTest(operand: Operand, test: Test): Diagnostic | undefined {
  if (operand.kind !== 'key' || testsOfLists.has(test) || !readsMembers(operand.path)) return undefined;
  const { path, span } = operand;
  return {
    rule: 'condition_syntax',
    code: 'list_tested',
    severity: 'warning',
    message: `"${path}" is a list, because of its "*", ${whyNotTested(test)}; write "${path} contains VALUE", or a number in place of "*" for one member`,
    span,
  };
}

function whyNotTested(test: Test): string {
  switch (test) {
    case 'exists':
      return 'and exists even if no member has the rest of the path';
    case 'truthy':
      return 'and a list is never empty, 0 or false';
    case '=':
    case '!=':
      return `and "${test}" compares its whole text, such as ["a","b"]`;
    default:
      return `and "${test}" holds for no list`;
  }
}
