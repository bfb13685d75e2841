import { RunError } from '../run-directory/run-error.js';
import { childRunsOfVisit } from '../view/child-runs-of-visit.js';
import { headOf } from '../view/cut-text.js';
import type { VisitRecord } from '../view/fold/visit-record.js';
import { fileKept } from './allowance.js';
import { bytesText } from './file-texts.js';
import { type Html, html } from './html.js';
import { type ReportData, type ReportSetup, reportData } from './report-data.js';
import { stagesSection } from './stages-section.js';
import { summarySection } from './summary-section.js';
import { timelineSection } from './timeline-section.js';
import { usageSection } from './usage-section.js';
import { badge, timeText } from './words.js';

/** The parts of the report of a run. @param level of their headings */
export async function runSections(data: ReportData, setup: ReportSetup, level: 2 | 3): Promise<Html> {
  const childrenOf = (visit: VisitRecord): Promise<Html> => childReports(data, visit, setup);
  const stages = await stagesSection(data, setup.allowance, childrenOf);
  const part = (id: string, title: string, content: Html): Html => {
    const name = `${data.prefix}${id}`;
    // A page has at most one landmark of a name.
    if (level === 3) return html`<h3 id="${name}">${title}</h3>\n${content}\n`;
    return html`<section aria-labelledby="${name}"><h2 id="${name}">${title}</h2>
${content}</section>
`;
  };
  return html`${part('summary', 'Summary', summarySection(data))}${part('graph', 'Graph', data.picture)}
${part('timeline', 'Timeline', timelineSection(data))}${part('stages', 'Stages', stages)}
${part('usage', 'Costs', usageSection(data))}${data.view.warnings.length === 0 ? '' : part('warnings', 'Warnings', warnings(data))}
${data.artifacts.length === 0 ? '' : part('artifacts', 'Artifacts', artifacts(data))}${part('pipeline', 'Pipeline', pipelineText(data))}`;
}

/** Reports of the runs that a visit has started (§9.4). */
async function childReports(data: ReportData, visit: VisitRecord, setup: ReportSetup): Promise<Html> {
  const { directory, prefix } = data;
  const sections: Html[] = [];
  for (const child of childRunsOfVisit(directory, visit)) {
    const title = html`Run <code>${child.run_id}</code> ${badge(child.status)}`;
    if (setup.allowance.childRuns <= 0) {
      sections.push(
        html`<p class="note">${title} in <code>${child.path}</code> is left out: the report is long enough.</p>`,
      );
      continue;
    }
    setup.allowance.childRuns -= 1;
    const inner = await childSections(
      `${directory}/${child.path}`,
      `${prefix}r${setup.allowance.childRuns}-`,
      setup,
    );
    sections.push(
      html`<details class="child"><summary>${title}</summary><div class="body">${inner}</div></details>`,
    );
  }
  return html`${sections}`;
}

/** A damaged child must not prevent the report of its parent. */
async function childSections(directory: string, prefix: string, setup: ReportSetup): Promise<Html> {
  try {
    const data = await reportData(directory, { ...setup, prefix });
    return await runSections(data, setup, 3);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return html`<p class="box failed">${error.message}</p>`;
  }
}

function warnings({ view: { scope, warnings: allWarnings } }: ReportData): Html {
  const listed = allWarnings.slice(-scope.warnings);
  return html`<ul class="plain">${listed.map(({ message, node_id, at }) => html`<li class="box waiting prose">${node_id === undefined ? '' : html`<code>${node_id}</code> `}${message} <span class="note">${timeText(at)}</span></li>`)}</ul>`;
}

const artifactsListed = 1000;

function artifacts({ artifacts: listed }: ReportData): Html {
  const rows = listed
    .slice(-artifactsListed)
    .map(
      ({ id, name, bytes, stored_at }) =>
        html`<tr><th scope="row"><code>${id}</code></th><td class="prose">${name}</td><td>${bytesText(bytes)}</td><td>${stored_at === null ? '' : timeText(stored_at)}</td></tr>`,
    );
  const omitted = listed.length - rows.length;
  return html`${omitted > 0 ? html`<p class="note">The first ${omitted} are left out.</p>` : ''}<table><thead><tr><th scope="col">Id</th><th scope="col">Name</th><th scope="col">Size</th><th scope="col">Stored</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function pipelineText({ pipeline: { text } }: ReportData): Html {
  const isCut = text.length > fileKept;
  return html`<details class="file"><summary>As it was run <span class="note">DOT</span></summary>${isCut ? html`<p class="note">The beginning; <code>pipeline.dot</code> has it all.</p>` : ''}<pre>
${headOf(text, fileKept)}</pre></details>`;
}
