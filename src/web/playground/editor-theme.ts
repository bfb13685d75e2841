import { EditorView } from '@codemirror/view';

/** The editor in the colours of the page, light and dark alike, for these are custom properties. */
export const editorTheme = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    fontSize: 'var(--text-small)',
  },
  // The frame around the editor shows the focus, also next to the line numbers.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--ink-muted)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 70%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)', color: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-fill)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--state-waiting-fill)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-fill)', color: 'inherit' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--state-failed-fill)', color: 'inherit' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow-raised)',
    fontFamily: 'var(--font)',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '16em' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-ink)',
  },
  '.cm-completionDetail': {
    fontFamily: 'var(--font)',
    fontStyle: 'normal',
    opacity: '0.8',
    marginLeft: '1em',
  },
  '.cm-completionInfo': { padding: '8px 10px', maxWidth: '22rem' },
  '.cm-explanation': { padding: '8px 12px', maxWidth: '26rem' },
  '.cm-explanation p': { margin: '4px 0 0' },
  '.cm-diagnostic': { padding: '6px 10px' },
  '.cm-diagnosticSource': {
    fontFamily: 'var(--font-mono)',
    fontSize: '0.85em',
    opacity: '1',
    color: 'var(--ink-muted)',
  },
  '.cm-diagnosticAction': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-ink)',
    borderRadius: 'var(--radius)',
    padding: '2px 8px',
    font: 'inherit',
  },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)', fontFamily: 'var(--font)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--line-control)',
    borderRadius: 'var(--radius)',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--line-control)',
    borderRadius: 'var(--radius)',
  },
});
