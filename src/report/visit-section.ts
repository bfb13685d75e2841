import { counted } from '../diagnostic/counted.js';
import { attributeText } from '../graph/graph.js';
import { parallelResultsFileName } from '../run-directory/stage-path.js';
import { headOf } from '../view/cut-text.js';
import type { VisitRecord } from '../view/fold/visit-record.js';
import { routeWords } from '../view/route-words.js';
import { visitOf } from '../view/stage-detail.js';
import type { StageVisit } from '../view/stage-schema.js';
import { visitDirectory } from '../view/visit-directory.js';
import { type Allowance, fileKept } from './allowance.js';
import { branchesSection } from './branches-section.js';
import { conversationSection } from './conversation-section.js';
import { fileTexts } from './file-texts.js';
import { type Html, html } from './html.js';
import type { ReportData } from './report-data.js';
import { terminalHtml } from './terminal-html.js';
import { gaveSection, readSection } from './values-section.js';
import { badge, colourOf, elapsedText, statusText, timeText, usageText, visitDurationText } from './words.js';

/** One visit in full: attempts, inputs, outputs, logs, questions, tools (§5.6). @param children its child runs */
export function visitSection(
  data: ReportData,
  record: VisitRecord,
  allowance: Allowance,
  children: Html,
): Html {
  const { directory, prefix } = data;
  const visit = visitOf(directory, record);
  const facts = [visitDurationText(record), usageText(record.usage)].filter((one) => one !== '');
  const files = fileTexts(directory, record, visit.files, allowance);
  const { read = [], gave = [] } = data.values.get(record.index) ?? {};
  const inputs = html`${commandOf(data, visit)}${files.inputs}${readSection(read, allowance)}`;
  const conversation = conversationSection(directory, record, allowance);
  // A conversation has the calls too, and more of them.
  const calls = conversation.markup === '' ? toolUses(visit) : conversation;
  const outputs = html`${soFar(visit)}${files.outputs}${gaveSection(gave, allowance)}`;
  return html`<details class="visit" id="${prefix}visit-${visit.index}"><summary>${badge(visit.status)}${visit.simulated ? html` <span class="badge skipped">simulated</span>` : ''} <span class="title">${visit.name}</span> <code>${visit.node_id}</code>${visit.visit > 1 ? html` <span class="note">visit ${visit.visit}</span>` : ''}${visit.branch === null ? '' : html` <span class="note">in branch ${visit.branch}</span>`} <span class="right">${facts.join(' · ')}</span></summary>
<div class="body">
${headOfVisit(visit)}${attempts(visit)}${questions(visit)}${log(visit)}
${part('Inputs', inputs)}${branchesSection(record.branches, allowance, `${visitDirectory(record)}/${parallelResultsFileName}`)}${part('Outputs', outputs)}
${calls}${files.others}${children}
</div></details>
`;
}

function part(title: string, content: Html): Html {
  return content.markup.trim() === '' ? html`` : html`<p class="heading">${title}</p>${content}`;
}

/** Command of a tool as the pipeline has it; its values stand below. */
function commandOf({ pipeline: { graph } }: ReportData, { node_id }: StageVisit): Html {
  const command = graph.nodes.get(node_id)?.attributes.get('tool_command');
  if (command === undefined) return html``;
  return html`<details class="file" open><summary>Command</summary><pre>
${headOf(attributeText(command.value), fileKept)}</pre></details>`;
}

function soFar({ output }: StageVisit): Html {
  if (output === '') return html``;
  return html`<details class="file" open><summary>Response so far</summary><pre>
${output}</pre></details>`;
}

function headOfVisit({
  started_at,
  next,
  notes,
  failure_reason,
  preferred_label,
  ...visit
}: StageVisit): Html {
  const label = next?.label ?? next?.condition ?? null;
  const transition =
    next === null
      ? ''
      : html`<div><dt>Next</dt><dd><code>${next.to}</code> (${label === null ? '' : html`${label}; `}${routeWords(next.reason)}${next.loop_restart ? '; the pipeline restarts' : ''})</dd></div>`;
  return html`${failure_reason === null ? '' : html`<p class="box ${colourOf(visit.status)} prose">${terminalHtml(failure_reason)}</p>`}
<dl class="facts"><div><dt>Started</dt><dd>${timeText(started_at)}</dd></div>${transition}
${preferred_label === null ? '' : html`<div><dt>Chose</dt><dd>${preferred_label}</dd></div>`}
${visit.restart === 0 ? '' : html`<div><dt>After restart</dt><dd>${visit.restart}</dd></div>`}
${notes === null ? '' : html`<div><dt>Notes</dt><dd class="prose">${notes}</dd></div>`}</dl>`;
}

function attempts({ attempts: made }: StageVisit): Html {
  if (made.length < 2) return html``;
  const rows = made.map(
    ({ attempt, status, started_at, ended_at, error, retry_delay_ms }) =>
      html`<tr><th scope="row">${attempt}</th><td>${statusText(status)}</td><td>${elapsedText(started_at, ended_at)}</td><td>${retry_delay_ms === null ? '' : `${(retry_delay_ms / 1000).toFixed(1)}s`}</td><td class="prose">${terminalHtml(error ?? '')}</td></tr>`,
  );
  return html`<p class="heading">Attempts</p><table><thead><tr><th scope="col">Attempt</th><th scope="col">Ended</th><th scope="col">Took</th><th scope="col">Then waited</th><th scope="col">Why</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function questions({ questions: visitQuestions }: StageVisit): Html {
  if (visitQuestions.length === 0) return html``;
  const entries = visitQuestions.map(({ text, options, asked_at, answer }) => {
    const choices = options.map(({ label }) => label).join(' / ');
    const answerText = answer?.label ?? answer?.text ?? answer?.value;
    const reply =
      answerText === undefined
        ? html`<em>no answer yet</em>`
        : html`<strong>${answerText}</strong>${answer?.by_default ? ' (nobody answered in time)' : ''}`;
    return html`<li><p class="prose">${text}</p><p>${choices === '' ? '' : html`<span class="note">${choices}</span> `}→ ${reply} <span class="note">asked ${timeText(asked_at)}</span></p></li>`;
  });
  return html`<p class="heading">Questions</p><ul class="plain">${entries}</ul>`;
}

function log({ log: entries }: StageVisit): Html {
  if (entries.length === 0) return html``;
  return html`<ul class="plain">${entries.map(({ level, message }) => html`<li class="box ${level === 'warning' ? 'waiting' : 'skipped'} prose">${message}</li>`)}</ul>`;
}

function toolUses({ tool_uses: uses, tool_calls: count }: StageVisit): Html {
  if (uses.length === 0) return html``;
  const omitted = count - uses.length;
  const rows = uses.map(({ tool, input, output, success, duration_ms }) => {
    const end = success === null ? 'not ended' : success ? 'ok' : 'failed';
    return html`<details class="call"><summary><code>${tool}</code> <span class="note">${end}${duration_ms === null ? '' : `, ${Math.round(duration_ms)}ms`}</span></summary><pre>
${input}</pre>${
      output === null
        ? ''
        : html`<pre>
${output}</pre>`
    }</details>`;
  });
  return html`<details class="file"><summary>Tool calls <span class="note">${count}</span></summary>${omitted > 0 ? html`<p class="note">The first ${counted(omitted, 'call')} left out.</p>` : ''}${rows}</details>`;
}
