import type { JsonValue } from '../graph/json.js';
import { headOf } from '../view/cut-text.js';
import { valueKept } from './allowance.js';
import { type Html, html } from './html.js';
import { terminalHtml } from './terminal-html.js';

/** Table of values by key, each as text; a long one is cut at its end. */
export function valueTable(entries: readonly (readonly [key: string, value: JsonValue])[]): Html {
  const rows = entries.map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    return html`<tr><th scope="row"><code>${key}</code></th><td class="prose">${terminalHtml(headOf(text, valueKept))}</td></tr>`;
  });
  return html`<table><thead><tr><th scope="col">Key</th><th scope="col">Value</th></tr></thead><tbody>${rows}</tbody></table>`;
}
