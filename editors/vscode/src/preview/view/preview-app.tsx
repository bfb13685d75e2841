import { useEffect, useReducer } from 'preact/hooks';
import { sentence } from '../../../../../src/web/api/failure.js';
import { PicturePanel } from '../../../../../src/web/playground/picture-panel.jsx';
import { isReadable } from '../../../../../src/web/playground/use-compilation.js';
import { SimulatorPanel } from '../../../../../src/web/simulator/simulator-panel.jsx';
import { Loading } from '../../../../../src/web/ui/loading.jsx';
import { Tabs } from '../../../../../src/web/ui/tabs.jsx';
import { Toasts } from '../../../../../src/web/ui/toasts.jsx';
import type { PreviewSide } from '../messages.js';
import { listen, send } from './extension-host.js';
import { nodeAt } from './node-at.js';
import { nothingShown, received, type Shown } from './shown.js';

const sides = [
  { id: 'picture', title: 'Picture' },
  { id: 'simulator', title: 'Simulator' },
] as const;

/** Pipeline of the editor: its picture, which follows the cursor, and the simulator. */
export function PreviewApp() {
  const [shown, receive] = useReducer(received, nothingShown);
  useEffect(() => listen(receive), []);
  useEffect(() => {
    document.documentElement.dataset.theme = shown.theme;
  }, [shown.theme]);
  return (
    <main class="preview">
      <Content shown={shown} onSide={(side) => receive({ kind: 'side', side })} />
      <Toasts />
    </main>
  );
}

interface ContentProps {
  readonly shown: Shown;
  readonly onSide: (side: PreviewSide) => void;
}

function Content({ shown, onSide }: ContentProps) {
  const { compiled, picture, failure, cursor, refused, side } = shown;
  if (refused !== undefined)
    return (
      <p class="notice" data-state="waiting" role="status">
        {refused}
      </p>
    );
  if (compiled === undefined) return <Loading what="the pipeline" />;
  const { document, graph } = compiled.compilation;
  const selected = cursor === undefined ? undefined : nodeAt(document, cursor);
  const openNode = (id: string): void => {
    const node = graph.nodes.get(id);
    if (node !== undefined) send({ kind: 'open', offset: node.span.start });
  };
  return (
    <Tabs label="Views of the pipeline" tabs={sides} selected={side} onSelect={onSide}>
      {side === 'picture' ? (
        <PicturePanel
          picture={picture}
          selected={selected}
          onOpen={openNode}
          failure={failure && sentence(failure)}
          isBroken={!isReadable(compiled)}
        />
      ) : (
        <SimulatorPanel compiled={compiled} picture={picture} />
      )}
    </Tabs>
  );
}
