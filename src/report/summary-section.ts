import { describeAmount, describeUsd, grouped } from '../machine/usage.js';
import { formatDuration } from '../view/format-duration.js';
import { type RunOverview, simulatedUnscripted } from '../view/run-overview.js';
import { type Html, html } from './html.js';
import type { ReportData } from './report-data.js';
import { terminalHtml } from './terminal-html.js';
import { valueList } from './values-section.js';
import { timeText } from './words.js';

/** Characters of the inputs of a run. */
const inputsKept = 40_000;

/** The run at a glance: times, costs, budgets, and what went wrong. */
export function summarySection({ overview, inputs: given }: ReportData): Html {
  const inputs = Object.entries(given);
  return html`<dl class="figures">${figures(overview).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${trouble(overview)}
${failures(overview)}
${inputs.length === 0 ? '' : html`<p class="heading">Inputs</p>${valueList(inputs, { text: inputsKept })}`}`;
}

function figures(overview: RunOverview): readonly (readonly [string, Html | string])[] {
  const { usage, start_time, end_time, duration_ms, stages_done, retries, restarts, quality } = overview;
  const price = usage.cost_usd === undefined ? 'not known' : describeUsd(usage.cost_usd);
  const usageFigures: readonly (readonly [string, Html | string])[] =
    usage.requests === 0
      ? []
      : [
          ['Cost', price],
          ['Input', `${grouped(usage.input_tokens)} tokens`],
          ['Output', `${grouped(usage.output_tokens)} tokens`],
          ['Requests', grouped(usage.requests)],
        ];
  return [
    ['Started', timeText(start_time)],
    ['Ended', end_time === null ? 'not yet' : timeText(end_time)],
    ['Duration', formatDuration(duration_ms)],
    ['Stages', grouped(stages_done)],
    ['Retries', grouped(retries)],
    ...(restarts === 0 ? [] : [['Restarts', grouped(restarts)] as const]),
    ['Quality', quality],
    ...usageFigures,
    ...overview.budgets.map(({ unit, limit, used, node_id }) => {
      const whose = node_id === null ? 'Budget' : `Budget of ${node_id}`;
      return [whose, `${describeAmount(unit, used)} of ${describeAmount(unit, limit)}`] as const;
    }),
  ];
}

function trouble(overview: RunOverview): Html {
  const { failure_reason, failed_node, paused_reason, unpriced_models, simulated, scripted_nodes } = overview;
  const simulatedStages = simulated ? [] : simulatedUnscripted(overview);
  const where = failed_node === null ? '' : ` at ${failed_node}`;
  return html`${failure_reason === null ? '' : html`<p class="box failed prose"><strong>Failed${where}:</strong> ${terminalHtml(failure_reason)}</p>`}
${paused_reason === null ? '' : html`<p class="box waiting"><strong>Paused:</strong> ${paused_reason}</p>`}
${simulated ? html`<p class="box skipped">Simulated: no stage did real work.</p>` : ''}
${scripted_nodes.length === 0 || simulated ? '' : html`<p class="box skipped">A script did the work of ${scripted_nodes.join(', ')}.</p>`}
${simulatedStages.length === 0 ? '' : html`<p class="box skipped">Simulated: ${simulatedStages.join(', ')} did no real work.</p>`}
${unpriced_models.length === 0 ? '' : html`<p class="box waiting">No price is known for ${unpriced_models.join(', ')}; its cost is in no sum.</p>`}`;
}

function failures({ failures: byNode }: RunOverview): Html {
  if (byNode.length === 0) return html``;
  const rows = byNode.map(
    ({ node_id, reason, category, count, retries, recovered }) =>
      html`<tr><th scope="row">${node_id}</th><td>${count}</td><td>${retries}</td><td>${recovered ? 'yes' : 'no'}</td><td class="prose">${terminalHtml(reason)}${category === null ? '' : html` <span class="note">(${category})</span>`}</td></tr>`,
  );
  return html`<p class="heading">Failures</p>
<table><thead><tr><th scope="col">Stage</th><th scope="col">Times</th><th scope="col">Retries</th><th scope="col">Succeeded since</th><th scope="col">Latest reason</th></tr></thead><tbody>${rows}</tbody></table>`;
}
