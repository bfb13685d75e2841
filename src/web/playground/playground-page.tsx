import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { countsText } from '../../diagnostic/counts-text.js';
import { countDiagnostics, type Diagnostic, isQuiet } from '../../diagnostic/diagnostic.js';
import { format } from '../../format/format.js';
import { declaredInputs } from '../../graph/values/declared-inputs.js';
import { failureMessage } from '../api/failure.js';
import { SimulatorPanel } from '../simulator/simulator-panel.jsx';
import { Panel } from '../ui/panel.jsx';
import { Tabs } from '../ui/tabs.jsx';
import { tell } from '../ui/toasts.jsx';
import { useTitle } from '../ui/use-title.js';
import type { Editor } from './editor.js';
import { EditorPanel } from './editor-panel.jsx';
import { keepText, keptText } from './kept-text.js';
import { PicturePanel } from './picture-panel.jsx';
import { PlaygroundHelp } from './playground-help.jsx';
import { PlaygroundTools } from './playground-tools.jsx';
import { ProblemList } from './problem-list.jsx';
import { PropertiesPanel } from './properties-panel.jsx';
import { RunDialog } from './run-dialog.jsx';
import { type CompiledText, isReadable, useCompilation } from './use-compilation.js';
import { usePicture } from './use-picture.js';

const sides = [
  { id: 'picture', title: 'Picture' },
  { id: 'simulator', title: 'Simulator' },
  { id: 'properties', title: 'Properties' },
  { id: 'help', title: 'Help' },
] as const;

type Side = (typeof sides)[number]['id'];

/**
 * Page on which pipelines are written, judged, drawn and stepped through, by the same compiler and machine
 * as runs (DESIGN §1.1).
 */
export function PlaygroundPage() {
  useTitle('Playground');
  const [text, setText] = useState(keptText);
  const [side, setSide] = useState<Side>('picture');
  const [isRunning, setRunning] = useState(false);
  const editor = useRef<Editor | undefined>(undefined);
  const compiled = useCompilation(text);
  const { compilation } = compiled;
  const drawn = usePicture(compiled, isReadable(compiled));
  useEffect(() => keepText(text), [text]);
  const onOpen = useCallback(
    (opened: Editor | undefined) => {
      editor.current = opened;
    },
    [editor],
  );
  useEffect(() => editor.current?.show(compiled.text, shownFindings(compiled)), [compiled]);

  const formatText = (): void => {
    const formatted = format(editor.current?.text() ?? text);
    if (formatted.text === undefined) tell('It can be formatted once its syntax errors are gone.', 'failed');
    else editor.current?.replace(formatted.text);
  };
  const goToNode = (id: string): void => {
    const node = compilation.graph.nodes.get(id);
    if (node !== undefined) editor.current?.goTo(node.span.start);
  };
  const { source } = compilation;
  const diagnostics = shownFindings(compiled);
  return (
    <div class="playground">
      <PlaygroundTools
        name={compilation.graph.name}
        text={text}
        canRun={compilation.program !== undefined}
        onText={(next) => editor.current?.replace(next)}
        onFormat={formatText}
        onRun={() => setRunning(true)}
      />
      <div class="playground-halves">
        <div class="playground-text">
          <Panel title="Pipeline" isFlush class="editor-panel">
            <EditorPanel text={text} onChange={setText} onFormat={formatText} onOpen={onOpen} />
          </Panel>
          <Panel title="Problems" isFlush class="problems-panel" aside={<Counted compiled={compiled} />}>
            <ProblemList
              {...{ diagnostics, source }}
              onGoTo={(offset) => editor.current?.goTo(offset)}
              onFix={(fix) => editor.current?.apply(compiled.text, fix)}
            />
          </Panel>
        </div>
        <div class="playground-side">
          <Tabs label="Views of the pipeline" tabs={sides} selected={side} onSelect={setSide}>
            {side === 'picture' && (
              <PicturePanel
                picture={drawn.picture}
                onOpen={goToNode}
                failure={drawn.failure && failureMessage(drawn.failure)}
                isBroken={!isReadable(compiled)}
              />
            )}
            {side === 'simulator' && <SimulatorPanel compiled={compiled} picture={drawn.picture} />}
            {side === 'properties' && (
              <PropertiesPanel compiled={compiled} picture={drawn.picture} onOpen={goToNode} />
            )}
            {side === 'help' && <PlaygroundHelp />}
          </Tabs>
        </div>
      </div>
      {isRunning && (
        <RunDialog
          dot={text}
          declared={declaredInputs(compilation.graph)}
          onClose={() => setRunning(false)}
        />
      )}
    </div>
  );
}

/** Findings of a text without those that hold for most pipelines. */
function shownFindings({ compilation }: CompiledText): readonly Diagnostic[] {
  return compilation.diagnostics.filter((diagnostic) => !isQuiet(diagnostic));
}

function Counted({ compiled }: { readonly compiled: CompiledText }) {
  return (
    <span class="muted small number" role="status">
      {countsText(countDiagnostics(shownFindings(compiled)))}
    </span>
  );
}
