import { useMemo } from 'preact/hooks';
import { graphStructure } from '../../view/graph-structure.js';
import { GraphPanel } from '../run/graph/graph-panel.jsx';
import { Loading } from '../ui/loading.jsx';
import type { Picture } from './use-picture.js';

interface PicturePanelProps {
  readonly picture: Picture | undefined;
  /** Node that is marked and kept in sight. */
  readonly selected?: string | undefined;
  readonly onOpen: (nodeId: string) => void;
  readonly failure: string | undefined;
  readonly isBroken: boolean;
}

const nothingHappened = { nodes: new Map(), edges: new Map(), jumps: [] };

/** The picture of the pipeline next to its text; the last good one stays while the text is broken. */
export function PicturePanel({ picture, selected, onOpen, failure, isBroken }: PicturePanelProps) {
  return (
    <div class="playground-picture">
      {isBroken && (
        <p class="notice small" data-state="waiting" role="status">
          The text has syntax errors. This is the last valid picture.
        </p>
      )}
      {failure !== undefined && !isBroken && (
        <p class="notice small" data-state="failed" role="alert">
          {failure}
        </p>
      )}
      {picture !== undefined ? (
        <DrawnPicture picture={picture} selected={selected} onOpen={onOpen} />
      ) : (
        failure === undefined && !isBroken && <Loading what="the picture" />
      )}
    </div>
  );
}

interface DrawnPictureProps {
  readonly picture: Picture;
  readonly selected: string | undefined;
  readonly onOpen: (nodeId: string) => void;
}

function DrawnPicture({ picture: { graph, svg }, selected, onOpen }: DrawnPictureProps) {
  const { nodes } = useMemo(() => graphStructure(graph), [graph]);
  return (
    <GraphPanel
      name={graph.name}
      picture={svg}
      nodes={nodes}
      overlay={nothingHappened}
      selected={selected}
      active={undefined}
      isLive={false}
      onOpen={onOpen}
    />
  );
}
