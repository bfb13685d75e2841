import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  selectedCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap, type Diagnostic as Mark, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { Diagnostic, Fix } from '../../diagnostic/diagnostic.js';
import { completeAt } from '../../lsp/services/completion/complete.js';
import { hoverAt } from '../../lsp/services/hover/hover-at.js';
import { PipelineText } from '../../lsp/services/text/pipeline-text.js';
import { dotLanguage } from './dot-language.js';
import { editorTheme } from './editor-theme.js';

/** An editor of a pipeline, as long as its element is on the page. */
export interface Editor {
  text(): string;
  /** Puts another text in, as one change that can be undone. */
  replace(text: string): void;
  /** Shows what was found in a text; nothing where that is not the text any more. */
  show(text: string, diagnostics: readonly Diagnostic[]): void;
  /** Makes the edits of a fix, if the text is still the one that it is for. */
  apply(text: string, fix: Fix): void;
  /** Puts the cursor there, and brings it into sight. */
  goTo(offset: number): void;
  focus(): void;
  destroy(): void;
}

interface EditorSetup {
  /** An element whose shadow the editor goes into: a page without inline styles lets it have its style sheet there. */
  readonly host: HTMLElement;
  readonly text: string;
  /** Its name for screen readers. */
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly onFormat: () => void;
}

/** Opens an editor with what the language tables know: colours, completion, documentation, findings and their fixes. */
export function openEditor({ host, text, label, onChange, onFormat }: EditorSetup): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const formats = (): boolean => {
    onFormat();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([{ key: 'Shift-Alt-f', run: formats, preventDefault: true }]),
        extensions(),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace(next) {
      if (next === view.state.doc.toString()) return;
      const { head } = view.state.selection.main;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        selection: { anchor: Math.min(head, next.length) },
      });
    },
    show(compiled, diagnostics) {
      if (compiled !== view.state.doc.toString()) return;
      const marks = diagnostics.map((diagnostic) => markOf(compiled, diagnostic));
      view.dispatch(setDiagnostics(view.state, marks));
    },
    apply: (compiled, fix) => applyFix(view, compiled, fix),
    goTo(offset) {
      const anchor = Math.min(offset, view.state.doc.length);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function extensions(): readonly Extension[] {
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    indentOnInput(),
    // As the canonical format has it.
    indentUnit.of('    '),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    EditorView.lineWrapping,
    Prec.highest(keymap.of([{ key: 'Enter', run: leaveWrittenWord }])),
    autocompletion({ override: [suggest], icons: false }),
    hoverTooltip(explain),
    dotLanguage(),
    editorTheme,
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
      // After Escape, Tab leaves the editor.
      indentWithTab,
    ]),
  ];
}

/** Closes the list where the selected word is written already, so that Enter begins a line. */
function leaveWrittenWord(view: EditorView): boolean {
  const chosen = selectedCompletion(view.state);
  if (chosen === null) return false;
  const { head } = view.state.selection.main;
  const word = typeof chosen.apply === 'string' ? chosen.apply : chosen.label;
  const written = view.state.sliceDoc(Math.max(0, head - word.length - 1), head);
  if (written.endsWith(word) && !/\w/.test(written.slice(0, -word.length))) closeCompletion(view);
  return false;
}

function suggest(context: CompletionContext): CompletionResult | null {
  const text = context.state.doc.toString();
  const found = completeAt(pipelineOf(text), context.pos);
  if (found === undefined) return null;
  // Only opens by itself where something has been begun, or where nothing else can stand.
  const isBegun = found.from < context.pos || /[[=>",]\s?$/.test(text.slice(0, context.pos));
  if (!context.explicit && !isBegun) return null;
  return {
    from: found.from,
    options: found.suggestions.map(
      ({ label, detail, info, insert }): Completion => ({
        label,
        detail,
        info,
        apply: insert,
      }),
    ),
    validFor: /^[\w.-]*$/,
  };
}

let latest: PipelineText | undefined;

/** The text in the editor, parsed once however often completion and hovering ask for it. */
function pipelineOf(text: string): PipelineText {
  if (latest?.text !== text) latest = new PipelineText('pipeline.dot', text);
  return latest;
}

function explain(view: EditorView, offset: number) {
  const hover = hoverAt(pipelineOf(view.state.doc.toString()), offset);
  if (hover === undefined) return null;
  return {
    pos: hover.span.start,
    end: hover.span.end,
    create() {
      const dom = document.createElement('div');
      dom.className = 'cm-explanation';
      const title = document.createElement('strong');
      title.textContent = hover.title;
      const text = document.createElement('p');
      text.textContent = hover.text;
      const details = document.createElement('ul');
      for (const line of hover.details ?? []) {
        const item = document.createElement('li');
        item.textContent = line;
        details.append(item);
      }
      dom.append(title, text, details);
      return { dom };
    },
  };
}

function markOf(compiled: string, { span, severity, message, rule, fix }: Diagnostic): Mark {
  const edits = fix?.edits ?? [];
  return {
    from: span.start,
    to: Math.max(span.start, span.end),
    severity,
    message,
    source: rule,
    actions:
      fix !== undefined && edits.length > 0
        ? [{ name: fix.title, apply: (view: EditorView) => applyFix(view, compiled, fix) }]
        : undefined,
  };
}

function applyFix(view: EditorView, compiled: string, { edits }: Fix): void {
  if (compiled !== view.state.doc.toString()) return;
  const changes = edits.map(({ span, text }) => ({ from: span.start, to: span.end, insert: text }));
  view.dispatch({ changes });
  view.focus();
}
