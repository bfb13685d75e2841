import type { Lane } from '../model/lanes.js';
import { placeIn, type TimeWindow } from '../model/time-scale.js';
import { visitWords } from '../visit-words.js';

interface LanesProps {
  readonly lanes: readonly Lane[];
  readonly shown: TimeWindow;
  readonly onOpen: (nodeId: string, visit: number) => void;
}

/**
 * Minimum width as a fraction: narrower bars are hidden by the bar before them, so that there are never
 * many.
 */
const narrowest = 0.002;

/** The branches of a run side by side (§4.8), at a glance; the list below has the same for keyboards and screen readers. */
export function Lanes({ lanes, shown, onOpen }: LanesProps) {
  return (
    <div class="lanes" aria-hidden="true">
      {lanes.map((lane) => (
        <div class="lane" key={lane.branches[0] ?? ''}>
          <span class="timeline-name muted small" title={lane.branches.map((name) => name ?? '').join(', ')}>
            <span class="timeline-label">{lane.branches[0] ?? 'main line'}</span>
          </span>
          <span class="timeline-bars">
            {barsOf(lane, shown).map(({ span: { visit }, left, width }) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list of visits does the same by keyboard
              // biome-ignore lint/a11y/noStaticElementInteractions: the list of visits does the same by keyboard
              <span
                key={visit.index}
                class="bar bar-lane"
                data-state={visitWords[visit.status].colour}
                title={`${visit.nodeId}: ${visitWords[visit.status].word}`}
                style={{ left: `min(${left * 100}%, calc(100% - 3px))`, width: `${width * 100}%` }}
                onClick={() => onOpen(visit.nodeId, visit.visit)}
              />
            ))}
          </span>
        </div>
      ))}
    </div>
  );
}

interface LaneBar {
  readonly span: Lane['spans'][number];
  readonly left: number;
  readonly width: number;
}

function barsOf({ spans }: Lane, shown: TimeWindow): readonly LaneBar[] {
  const bars: LaneBar[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const span of spans) {
    const place = placeIn(shown, span.startedAt, span.endedAt);
    if (place === undefined || place.left + Math.max(place.width, narrowest) <= end) continue;
    bars.push({ span, left: place.left, width: Math.max(place.width, narrowest) });
    end = place.left + Math.max(place.width, narrowest);
  }
  return bars;
}
