import { useRef } from 'preact/hooks';
import { Button } from '../ui/button.jsx';
import { tell } from '../ui/toasts.jsx';
import { examples } from './examples.js';
import { saveFile } from './save-file.js';

interface PlaygroundToolsProps {
  readonly name: string;
  readonly text: string;
  readonly canRun: boolean;
  readonly onText: (text: string) => void;
  readonly onFormat: () => void;
  readonly onRun: () => void;
}

/** No text that a person wrote is larger; the editor would stand still. */
const largestFile = 2_000_000;

/** Tools for the text as a whole. */
export function PlaygroundTools({ name, text, canRun, onText, onFormat, onRun }: PlaygroundToolsProps) {
  const file = useRef<HTMLInputElement>(null);
  const open = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    if (chosen.size > largestFile)
      return tell(
        `${chosen.name} has ${chosen.size} bytes; the editor takes at most ${largestFile}.`,
        'failed',
      );
    onText(await chosen.text());
  };
  return (
    <div class="playground-tools">
      <h1>Playground</h1>
      <select
        class="input"
        aria-label="Start from an example"
        value=""
        onChange={(event) => {
          const example = examples.find(({ title }) => title === event.currentTarget.value);
          event.currentTarget.value = '';
          if (example !== undefined) onText(example.text);
        }}
      >
        <option value="">Example …</option>
        {examples.map(({ title }) => (
          <option key={title} value={title}>
            {title}
          </option>
        ))}
      </select>
      <Button onClick={() => file.current?.click()}>Open file</Button>
      <input
        ref={file}
        type="file"
        hidden
        accept=".dot,.gv,text/plain,text/vnd.graphviz"
        aria-label="A pipeline from a file"
        onChange={(event) => {
          void open(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <Button
        icon="download"
        onClick={() => saveFile(`${name === '' ? 'pipeline' : name}.dot`, text, 'text/vnd.graphviz')}
      >
        Save
      </Button>
      <Button onClick={onFormat} aria-keyshortcuts="Shift+Alt+F" title="Format (Shift+Alt+F in the editor)">
        Format
      </Button>
      <Button
        look="primary"
        icon="play"
        onClick={onRun}
        disabled={!canRun}
        title={canRun ? 'Run this pipeline on the server' : 'A pipeline with errors does not run'}
      >
        Run …
      </Button>
    </div>
  );
}
