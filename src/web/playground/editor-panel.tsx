import { useEffect, useRef } from 'preact/hooks';
import { type Editor, openEditor } from './editor.js';

interface EditorPanelProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onFormat: () => void;
  /** Called with the editor when it opens, and with undefined when it closes. */
  readonly onOpen: (editor: Editor | undefined) => void;
}

/** Container of the editor, which owns the text once it is open. */
export function EditorPanel({ text, onChange, onFormat, onOpen }: EditorPanelProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ onChange, onFormat });
  latest.current = { onChange, onFormat };
  useEffect(() => {
    if (host.current === null) return undefined;
    const editor = openEditor({
      host: host.current,
      text,
      label: 'Pipeline as DOT. Tab indents; press Escape and then Tab to leave the editor.',
      onChange: (next) => latest.current.onChange(next),
      onFormat: () => latest.current.onFormat(),
    });
    onOpen(editor);
    return () => {
      onOpen(undefined);
      editor.destroy();
    };
  }, []);
  return <div class="editor" ref={host} />;
}
