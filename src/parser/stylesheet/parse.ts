import { type IToken, Lexer } from 'chevrotain';
import { type Diagnostic, type Fix, hasErrors, type Severity } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';
import { forShortTexts } from '../lexer-config.js';
import { builtInDecisions } from '../lookahead/decisions.js';
import type { StylesheetParseResult } from './ast.js';
import { type Remark, StylesheetParser } from './grammar.js';
import { explainStylesheetError, stylesheetError } from './syntax-error.js';
import { stylesheetTokens } from './tokens.js';

/**
 * Parses a model stylesheet (§8.2, SEMANTICS 45–46a). Blank text is a stylesheet without rules. Never
 * throws; of several errors, the first is reported. Unknown properties are left to lint.
 */
export function parseStylesheet(text: string): StylesheetParseResult {
  const { lexer, parser } = tools();
  const { tokens } = lexer.tokenize(text);
  const { stylesheet, remarks } = parser.parse(tokens);
  const found = [...remarks.flatMap(checkRemark), ...equalsSigns(remarks)].toSorted(
    (one, other) => one.span.start - other.span.start,
  );
  const firstError = found.findIndex((diagnostic) => diagnostic.severity === 'error');
  const [syntaxError] = parser.errors;
  // Remarks precede the position at which the parser stopped.
  if (firstError !== -1) found.splice(firstError + 1);
  else if (syntaxError !== undefined) found.push(explainStylesheetError(syntaxError.token, tokens));
  return hasErrors(found) ? { diagnostics: found } : { stylesheet, diagnostics: found };
}

/** Tokens of a stylesheet, even of an invalid one. @internal */
export function tokenizeStylesheet(text: string): readonly IToken[] {
  return tools().lexer.tokenize(text).tokens;
}

interface Tools {
  readonly lexer: Lexer;
  readonly parser: StylesheetParser;
}

let built: Tools | undefined;

/**
 * Creates the parser when the first stylesheet is parsed: the analysis of the grammar takes some
 * milliseconds.
 */
function tools(): Tools {
  built ??= {
    lexer: new Lexer([...stylesheetTokens], forShortTexts),
    parser: new StylesheetParser({ skipValidations: true, decisions: builtInDecisions('stylesheet') }),
  };
  return built;
}

function checkRemark(remark: Remark): readonly Diagnostic[] {
  switch (remark.kind) {
    case 'alias': {
      const { property, propertySpan: span } = remark.declaration;
      const fix = { title: `write "${property}"`, edits: [{ span, text: property }] };
      return [remarkOn(span, 'info', 'property_alias', `"${remark.written}" is read as "${property}"`, fix)];
    }
    case 'selector': {
      const { kind, name, span } = remark.selector;
      if (kind === 'id' && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        const message = `"#${name}" cannot select a node; an id consists of letters, digits and underscores and does not begin with a digit`;
        return [stylesheetError(span, message)];
      }
      if (kind !== 'class' || /^[a-z0-9-]+$/.test(name)) return [];
      const message = `the class "${name}" contains characters other than a-z, 0-9 and "-"; it only selects nodes whose class is spelled exactly the same`;
      return [remarkOn(span, 'warning', 'class_name', message)];
    }
    case 'equals':
      return [];
  }
}

/** One finding for all signs: an author of one `=` writes it everywhere (SEMANTICS 45). */
function equalsSigns(remarks: readonly Remark[]): readonly Diagnostic[] {
  const spans = remarks.flatMap((remark) => (remark.kind === 'equals' ? [remark.span] : []));
  const [first, ...others] = spans;
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` (${others.length} more in this stylesheet)`;
  const fix = { title: 'write ":"', edits: spans.map((span) => ({ span, text: ':' })) };
  return [remarkOn(first, 'info', 'equals_sign', `"=" is read as ":", which the grammar uses${more}`, fix)];
}

function remarkOn(span: Span, severity: Severity, code: string, message: string, fix?: Fix): Diagnostic {
  return { rule: 'stylesheet_syntax', code, severity, message, span, fix };
}
