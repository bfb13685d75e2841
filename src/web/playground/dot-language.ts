import { HighlightStyle, LanguageSupport, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { colourToken, firstState } from './tokens-of-line.js';

/** Our part of DOT for the editor: colours, comments, brackets. */
export function dotLanguage(): LanguageSupport {
  const language = StreamLanguage.define({
    name: 'attractor-dot',
    startState: firstState,
    copyState: (state) => ({ ...state }),
    token: colourToken,
    tokenTable: {
      quote: tags.special(tags.string),
      special: tags.special(tags.variableName),
    },
    languageData: {
      commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
      closeBrackets: { brackets: ['[', '{', '"', '('] },
      wordChars: '_.',
    },
  });
  return new LanguageSupport(language, syntaxHighlighting(colours));
}

/** The colours are custom properties of the page, which come through to where the editor lives. */
const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
  { tag: tags.propertyName, color: 'var(--code-name)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.special(tags.string), color: 'var(--code-string)' },
  { tag: tags.escape, color: 'var(--code-special)' },
  { tag: tags.special(tags.variableName), color: 'var(--code-special)' },
  { tag: [tags.number, tags.bool, tags.atom], color: 'var(--code-value)' },
  { tag: [tags.operator, tags.separator, tags.brace, tags.bracket], color: 'var(--code-sign)' },
  { tag: tags.className, color: 'var(--code-keyword)' },
  { tag: tags.variableName, color: 'var(--ink)' },
]);
