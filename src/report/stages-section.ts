import { counted } from '../diagnostic/counted.js';
import type { VisitRecord } from '../view/fold/visit-record.js';
import type { Allowance } from './allowance.js';
import { type Html, html } from './html.js';
import type { ReportData } from './report-data.js';
import { terminalHtml } from './terminal-html.js';
import { visitSection } from './visit-section.js';
import { statusText, usageText, visitDurationText } from './words.js';

/**
 * Every visit of a stage in the order in which they began: of a long run the latest in full, the earlier
 * ones in a line each.
 * @param childrenOf the reports of the runs that a visit has started
 */
export async function stagesSection(
  data: ReportData,
  allowance: Allowance,
  childrenOf: (visit: VisitRecord) => Promise<Html>,
): Promise<Html> {
  const { visits, view } = data;
  const { omitted } = view.visits;
  const rows = visits.filter(({ details }) => details === undefined);
  const sections: Html[] = [];
  for (const visit of visits) {
    if (visit.details !== undefined) {
      sections.push(visitSection(data, visit, allowance, await childrenOf(visit)));
    }
  }
  const left =
    omitted === 0 ? '' : html`<p class="note">The first ${counted(omitted, 'visit')} left out.</p>`;
  return html`${left}${earlier(rows)}${sections}`;
}

function earlier(rows: readonly VisitRecord[]): Html {
  if (rows.length === 0) return html``;
  const lines = rows.map(
    (visit) =>
      html`<tr><td>${visit.index}</td><th scope="row">${visit.nodeId}</th><td>${visit.visit}</td><td>${statusText(visit.status)}</td><td>${visitDurationText(visit)}</td><td>${usageText(visit.usage)}</td><td class="prose">${terminalHtml(visit.failureReason ?? '')}</td><td>${visit.next?.to}</td></tr>
`,
  );
  return html`<details class="file"><summary>Earlier visits <span class="note">${rows.length}, a line each</span></summary><table><thead><tr><th scope="col">#</th><th scope="col">Stage</th><th scope="col">Visit</th><th scope="col">Ended</th><th scope="col">Took</th><th scope="col">Used</th><th scope="col">Why</th><th scope="col">Next</th></tr></thead><tbody>
${lines}</tbody></table></details>`;
}
