import { describeUsd, grouped, type Usage } from '../machine/usage.js';
import { type Html, html } from './html.js';
import type { ReportData } from './report-data.js';

/** Tables of model usage, by stage and by model (SEMANTICS §12). */
export function usageSection({ overview, view }: ReportData): Html {
  const { usage, usage_by_stage: byStage } = overview;
  if (usage.requests === 0) return html`<p class="note">No model was asked.</p>`;
  const stages = Object.entries(byStage).map(([nodeId, used]) => rowOf(nodeId, used));
  const byModel = [...view.usage.byModel.values()].map(({ provider, model, usage: used }) =>
    rowOf(provider === '' ? model : `${model} (${provider})`, used),
  );
  return html`${tableOf('Stage', stages, usage)}${tableOf('Model', byModel, usage)}
<p class="note">What child runs used is in the stage that started them.</p>`;
}

function tableOf(head: string, rows: readonly Html[], total: Usage): Html {
  return html`<table class="numbers"><thead><tr><th scope="col">${head}</th><th scope="col">Requests</th><th scope="col">Input</th><th scope="col">Cached</th><th scope="col">Output</th><th scope="col">Cost</th></tr></thead>
<tbody>${rows}</tbody><tfoot>${rowOf('Total', total)}</tfoot></table>`;
}

function rowOf(name: string, usage: Usage): Html {
  const { requests, input_tokens, output_tokens, cached_input_tokens: cached = 0, cost_usd: cost } = usage;
  return html`<tr><th scope="row">${name}</th><td>${grouped(requests)}</td><td>${grouped(input_tokens)}</td><td>${grouped(cached)}</td><td>${grouped(output_tokens)}</td><td>${cost === undefined ? 'not known' : describeUsd(cost)}</td></tr>`;
}
