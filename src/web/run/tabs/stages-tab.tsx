import type { RunOverlay } from '../../../render/run-overlay.js';
import type { PictureNode } from '../graph/pipeline-picture.js';

interface StagesTabProps {
  readonly nodes: readonly PictureNode[];
  readonly overlay: Omit<RunOverlay, 'caption'>;
  readonly hrefOf: (nodeId: string) => string;
}

/** The graph as a list: every stage with its state, for who does not see the picture, and for phones. */
export function StagesTab({ nodes, overlay, hrefOf }: StagesTabProps) {
  return (
    <ol class="stages">
      {nodes.map(({ id, label }) => {
        const visited = overlay.nodes.get(id);
        const words = visited === undefined ? 'not reached' : visited.words || visited.state;
        return (
          <li key={id}>
            <a class="stage-link" href={hrefOf(id)}>
              <span class="stage-name">{label === '' ? id : label}</span>
              {label !== '' && label !== id && <code class="muted">{id}</code>}
              <span class="badge stage-state" data-state={visited?.state}>
                {words}
                {visited !== undefined && visited.visits > 1 ? ` · ${visited.visits} ×` : ''}
              </span>
            </a>
          </li>
        );
      })}
    </ol>
  );
}
