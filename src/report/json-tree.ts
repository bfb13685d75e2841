import { counted } from '../diagnostic/counted.js';
import type { JsonValue } from '../graph/json.js';
import { headOf } from '../view/cut-text.js';
import { type Html, html } from './html.js';
import { terminalHtml } from './terminal-html.js';

/** Characters that a tree may still take. */
export interface TreeAllowance {
  text: number;
}

/** Characters of one value: more than a person reads. */
const treeKept = 20_000;

/** Members of a list or map that are shown; the rest are counted. */
const membersShown = 200;

/** Characters of JSON below which a list or map is shown unfolded. */
const shortJson = 400;

const deepest = 60;

/**
 * Value as a tree whose lists and maps fold. The text of its elements is JSON, so that a selected or
 * copied part is JSON too; only a text by itself is shown as it is.
 */
export function jsonTree(value: JsonValue, allowance: TreeAllowance): Html {
  const limit = Math.min(treeKept, allowance.text);
  if (limit <= 0)
    return html`<span class="note">left out, because the report is long enough without it</span>`;
  if (typeof value === 'string') {
    allowance.text -= Math.min(value.length, limit);
    return html`<pre>
${terminalHtml(headOf(value, limit))}</pre>${cutNote(value.length, limit)}`;
  }
  const budget = { text: limit };
  const tree = html`<div class="tree">${treeOf(value, budget, { before: html``, after: '', depth: 0 })}</div>`;
  allowance.text -= limit - Math.max(0, budget.text);
  return tree;
}

function cutNote(length: number, limit: number): Html {
  return length <= limit
    ? html``
    : html`<p class="note">The beginning of ${counted(length, 'character')}.</p>`;
}

/** Position of a value: the text before it, such as its key, and its level. */
interface Place {
  readonly before: Html;
  readonly after: string;
  readonly depth: number;
}

function treeOf(value: JsonValue, budget: TreeAllowance, { before, after, depth }: Place): Html {
  const isList = Array.isArray(value);
  if (typeof value !== 'object' || value === null || depth >= deepest)
    return html`${before}${leaf(value, budget)}${after}`;
  const members: readonly (readonly [key: string | undefined, member: JsonValue])[] = isList
    ? value.map((member: JsonValue) => [undefined, member] as const)
    : Object.entries(value);
  const [opening, closing] = isList ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return html`${before}${opening}${closing}${after}`;
  const rows: Html[] = [];
  const isOpen = depth === 0 || isShort(value);
  for (const [key, member] of members.slice(0, membersShown)) {
    if (budget.text <= 0) break;
    budget.text -= (key?.length ?? 0) + 8;
    const context = {
      before: key === undefined ? html`` : html`<span class="key">${JSON.stringify(key)}</span>: `,
      after: rows.length + 1 < members.length ? ',' : '',
      depth: depth + 1,
    };
    rows.push(html`<li>${treeOf(member, budget, context)}</li>`);
  }
  const left = members.length - rows.length;
  const more = left === 0 ? html`` : html`<li class="note">… ${counted(left, 'more member')}</li>`;
  const count = counted(members.length, isList ? 'item' : 'key');
  return html`<details${isOpen ? html` open` : html``}><summary data-closed="${count} ${closing}">${before}${opening}</summary><ul>${rows}${more}</ul>${closing}${after}</details>`;
}

function leaf(value: JsonValue, budget: TreeAllowance): Html {
  const text = JSON.stringify(value);
  const limit = Math.max(20, budget.text);
  budget.text -= Math.min(text.length, limit);
  return html`<span class="${typeof value}">${headOf(text, limit)}</span>`;
}

/** True for a list or map of few characters; counts no further than it must. */
function isShort(value: JsonValue): boolean {
  let left = shortJson;
  const count = (one: JsonValue): void => {
    if (left < 0) return;
    if (typeof one === 'string') left -= one.length;
    else if (typeof one !== 'object' || one === null) left -= 5;
    else
      for (const [key, member] of Object.entries(one)) {
        left -= key.length + 4;
        if (left < 0) return;
        count(member);
      }
  };
  count(value);
  return left >= 0;
}
