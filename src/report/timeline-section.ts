import { counted } from '../diagnostic/counted.js';
import { isoTime } from '../view/fold/iso-time.js';
import type { VisitRecord } from '../view/fold/visit-record.js';
import { formatDuration } from '../view/format-duration.js';
import { type Html, html } from './html.js';
import type { ReportData } from './report-data.js';
import { colourOf, statusText, timeText, visitDurationText } from './words.js';

/** Bars that are still told apart. */
const barsDrawn = 2000;

/** Units of the width of a lane. */
const width = 1000;
const narrowest = 3;

/**
 * Timeline of the stages: a lane for each node, a bar for each visit, in the order in which nodes were
 * first entered.
 */
export function timelineSection({ visits, view: { lastEventTime } }: ReportData): Html {
  const drawn = visits.slice(-barsDrawn);
  const [first] = drawn;
  if (first === undefined || lastEventTime === undefined) return html`<p class="note">Nothing has begun.</p>`;
  const from = first.startedAt;
  const until = Date.parse(lastEventTime);
  const span = Math.max(1, until - from);
  const lanes = new Map<string, VisitRecord[]>();
  for (const visit of drawn) {
    const lane = lanes.get(visit.nodeId) ?? [];
    lanes.set(visit.nodeId, lane);
    lane.push(visit);
  }
  const toX = (at: number): number => ((at - from) / span) * width;
  return html`<div class="timeline">
${[...lanes].map(([nodeId, lane]) => laneOf(nodeId, lane, until, toX))}
<div class="lane axis"><span></span><span class="ends">${timeText(isoTime(from))}<span>${formatDuration(span)}</span></span></div>
</div>${visits.length === drawn.length ? '' : html`<p class="note">The latest ${barsDrawn} visits are drawn.</p>`}`;
}

function laneOf(
  nodeId: string,
  lane: readonly VisitRecord[],
  until: number,
  toX: (at: number) => number,
): Html {
  const bars = lane.map((visit) => {
    const x = Math.min(toX(visit.startedAt), width - narrowest);
    const length = Math.max(narrowest, toX(visit.endedAt ?? until) - x);
    const took = visitDurationText(visit);
    const title = `${nodeId}, visit ${visit.visit}: ${statusText(visit.status)}${took === '' ? '' : ` in ${took}`}`;
    return html`<rect class="${colourOf(visit.status)}" x="${x.toFixed(1)}" y="2" width="${length.toFixed(1)}" height="12"><title>${title}</title></rect>`;
  });
  const label = `${nodeId}: ${counted(lane.length, 'visit')}, ${worked(lane)}`;
  return html`<div class="lane"><span class="name" title="${lane[0]?.name}">${nodeId}</span><svg role="img" aria-label="${label}" viewBox="0 0 ${width} 16" preserveAspectRatio="none">${bars}</svg></div>
`;
}

function worked(lane: readonly VisitRecord[]): string {
  const ended = lane.flatMap(({ startedAt, endedAt }) =>
    endedAt === undefined ? [] : [endedAt - startedAt],
  );
  return formatDuration(ended.reduce((sum, one) => sum + Math.max(0, one), 0));
}
