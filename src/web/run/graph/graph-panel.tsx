import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunOverlay } from '../../../render/run-overlay.js';
import { Button } from '../../ui/button.jsx';
import { nextIndex } from '../../ui/next-index.js';
import { adoptSvg } from './adopt-svg.js';
import { type PictureNode, PipelinePicture } from './pipeline-picture.js';
import { usePanZoom } from './use-pan-zoom.js';

interface GraphPanelProps {
  readonly name: string;
  /** The picture, as the server drew it without the run. */
  readonly picture: string;
  readonly nodes: readonly PictureNode[];
  readonly overlay: Omit<RunOverlay, 'caption'>;
  readonly selected: string | undefined;
  /** Stage that works now, or at which the run has stopped: it is kept in sight until the picture is moved by hand. */
  readonly active: string | undefined;
  /** True if there may be another one soon. */
  readonly isLive: boolean;
  readonly onOpen: (nodeId: string) => void;
}

/** The graph of a run, live: closer, further away, moved, and every stage opened by mouse and by keyboard (SEMANTICS 73a). */
export function GraphPanel({
  name,
  picture,
  nodes,
  overlay,
  selected,
  active,
  isLive,
  onOpen,
}: GraphPanelProps) {
  const frame = useRef<HTMLDivElement>(null);
  const drawing = useMemo(() => {
    const adopted = adoptSvg(picture);
    return adopted && new PipelinePicture(adopted, nodes);
  }, [picture, nodes]);
  const [follows, setFollows] = useState(true);
  useEffect(() => {
    if (drawing === undefined) return undefined;
    drawing.svg.setAttribute('aria-label', `Stages of ${name}`);
    frame.current?.append(drawing.svg);
    return () => drawing.svg.remove();
  }, [drawing, name]);
  const start = nodes.find(({ handler }) => handler === 'start')?.id;
  const view = usePanZoom(frame, drawing, start, () => setFollows(false));
  useEffect(() => drawing?.paint(overlay, selected), [drawing, overlay, selected]);
  const target = selected ?? (follows ? active : undefined);
  useEffect(() => {
    const box = target === undefined ? undefined : drawing?.boxOf(target);
    if (box !== undefined) view.show(box);
  }, [drawing, target]);

  if (drawing === undefined)
    return (
      <p class="muted graph-missing">
        The server sent no picture that can be shown. The stages are listed below.
      </p>
    );

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const node = drawing.nodeAt(event.target);
    if (node !== undefined && (event.key === 'Enter' || event.key === ' ')) onOpen(node);
    else if (node !== undefined && event.key.startsWith('Arrow')) moveFocus(drawing, node, event.key);
    else if (!view.onKey(event.key)) return;
    event.preventDefault();
  };
  return (
    <div class="graph">
      <section
        class="graph-frame"
        ref={frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys move the picture
        tabIndex={0}
        aria-label="Graph: arrow keys move it, plus and minus change its size, 0 shows all of it"
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const node = drawing.nodeAt(event.target);
          if (node !== undefined && !view.wasDragged()) onOpen(node);
        }}
        onFocusIn={(event) => {
          const node = drawing.nodeAt(event.target);
          const box = node === undefined ? undefined : drawing.boxOf(node);
          if (node !== undefined) drawing.setTabStop(node);
          // A click may be the beginning of a drag.
          if (box !== undefined && !view.isPressed()) view.show(box);
        }}
      />
      <div class="graph-tools" role="toolbar" aria-label="View of the graph">
        <Button look="quiet" aria-label="Closer" onClick={() => view.onKey('+')} icon="zoom-in" />
        <Button look="quiet" aria-label="Further away" onClick={() => view.onKey('-')} icon="zoom-out" />
        <Button look="quiet" aria-label="Show all of it" onClick={() => view.onKey('0')} icon="fit" />
        {isLive && (
          <Button
            look="quiet"
            aria-label="Follow the stage that works"
            aria-pressed={follows}
            onClick={() => setFollows(!follows)}
            icon="follow"
          />
        )}
      </div>
    </div>
  );
}

function moveFocus(drawing: PipelinePicture, from: string, key: string): void {
  const ids = drawing.nodeIds;
  const next = nextIndex(key, ids.indexOf(from), ids.length);
  const id = next === undefined ? undefined : ids[next];
  if (id === undefined) return;
  drawing.setTabStop(id);
  drawing.node(id)?.focus();
}
