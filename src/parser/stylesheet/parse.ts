import { Lexer } from 'chevrotain';
import { type Diagnostic, hasErrors } from '../../diagnostic/diagnostic.js';
import type { StylesheetParseResult } from './ast.js';
import { type Remark, StylesheetParser } from './grammar.js';
import { explainSyntaxError, stylesheetError } from './syntax-error.js';
import { stylesheetTokens } from './tokens.js';

/**
 * Parses a model stylesheet (§8.2, SEMANTICS 45–46a). Blank text is a stylesheet without rules. Never throws; where
 * several things are wrong, the first error is reported. Properties that nobody knows are left to lint.
 */
export function parseStylesheet(text: string): StylesheetParseResult {
  const { lexer, parser } = tools();
  const { tokens, errors } = lexer.tokenize(text);
  const [lexingError] = errors;
  if (lexingError !== undefined) {
    const span = { start: lexingError.offset, end: lexingError.offset + lexingError.length };
    return { diagnostics: [stylesheetError(span, 'found text that cannot stand in a stylesheet')] };
  }
  const { stylesheet, remarks } = parser.parse(tokens);
  const found = remarks.map(checkRemark).filter((diagnostic) => diagnostic !== undefined);
  const firstError = found.findIndex((diagnostic) => diagnostic.severity === 'error');
  const [syntaxError] = parser.errors;
  // What was noted lies before the place where the parser stopped.
  if (firstError !== -1) found.splice(firstError + 1);
  else if (syntaxError !== undefined) found.push(explainSyntaxError(syntaxError.token, tokens));
  return hasErrors(found) ? { diagnostics: found } : { stylesheet, diagnostics: found };
}

interface Tools {
  readonly lexer: Lexer;
  readonly parser: StylesheetParser;
}

let built: Tools | undefined;

/** Built once and only when a stylesheet is parsed: the analysis of the grammar takes some milliseconds. */
function tools(): Tools {
  built ??= {
    lexer: new Lexer([...stylesheetTokens], { positionTracking: 'onlyOffset' }),
    parser: new StylesheetParser({ skipValidations: true }),
  };
  return built;
}

function checkRemark(remark: Remark): Diagnostic | undefined {
  switch (remark.kind) {
    case 'alias': {
      const { property, propertySpan: span } = remark.declaration;
      return {
        rule: 'stylesheet_syntax',
        code: 'property_alias',
        severity: 'info',
        message: `"${remark.written}" is read as "${property}"`,
        span,
        fix: { title: `write "${property}"`, edits: [{ span, text: property }] },
      };
    }
    case 'selector': {
      const { kind, name, span } = remark.selector;
      if (kind === 'id' && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        const message = `"#${name}" can select no node; an id has letters, digits and underscores and begins with no digit`;
        return stylesheetError(span, message);
      }
      if (kind !== 'class' || /^[a-z0-9-]+$/.test(name)) return undefined;
      return {
        rule: 'stylesheet_syntax',
        code: 'class_name',
        severity: 'warning',
        message: `the class "${name}" has other characters than a-z, 0-9 and "-"; it selects only nodes whose class is spelled the same`,
        span,
      };
    }
  }
}
