import { counted } from '../diagnostic/counted.js';
import { conversationFileName } from '../run-directory/conversation-file.js';
import { callInput } from '../view/conversation/call-input.js';
import {
  type CallPart,
  type ConversationStep,
  conversationSteps,
  type TurnPart,
  type TurnStep,
} from '../view/conversation/conversation-steps.js';
import {
  attemptWords,
  callEnd,
  compactionWords,
  outcomeWords,
  personName,
  replyEndWords,
  requestTitle,
  retryWords,
  turnUsageWords,
} from '../view/conversation/conversation-words.js';
import { type ShownEdit, shownEdit } from '../view/conversation/file-edits.js';
import { readEntries } from '../view/conversation/read-entries.js';
import { headOf } from '../view/cut-text.js';
import type { VisitRecord } from '../view/fold/visit-record.js';
import { formatDuration } from '../view/format-duration.js';
import { toolCallText } from '../view/tool-call-text.js';
import { visitDirectory } from '../view/visit-directory.js';
import { type Allowance, conversationKept } from './allowance.js';
import { bytesText } from './file-texts.js';
import { type Html, html } from './html.js';
import { markdownHtml } from './markdown-html.js';
import { terminalHtml } from './terminal-html.js';
import { timeText } from './words.js';

/** Characters of a prompt, an input or a result, and lines of an edit. */
const textKept = 4000;
const linesKept = 80;

/** Conversation of a visit with its model or agent (SEMANTICS 123), folded; of a long one the beginning. */
export function conversationSection(directory: string, record: VisitRecord, allowance: Allowance): Html {
  const file = `${visitDirectory(record)}/${conversationFileName}`;
  const { entries, size, hasMore, damaged } = readEntries(directory, record, 0);
  if (entries.length === 0) return html``;
  const steps = conversationSteps(entries);
  const limit = Math.min(conversationKept, allowance.conversations);
  const shown: Html[] = [];
  let length = 0;
  for (const step of steps) {
    const item = stepHtml(step);
    if (length + item.markup.length > limit) break;
    length += item.markup.length;
    if (item.markup !== '') shown.push(html`<li>${item}</li>\n`);
    else shown.push(item);
  }
  allowance.conversations -= length;
  const turns = steps.filter(({ kind }) => kind === 'turn').length;
  const isCut = hasMore || shown.length < steps.length;
  const note = isCut
    ? html`<p class="note">The rest is left out: <code>${file}</code> has all ${bytesText(size)} of it.</p>`
    : '';
  const damage =
    damaged === 0
      ? ''
      : html`<p class="box failed">${counted(damaged, 'line')} of <code>${file}</code> ${damaged === 1 ? 'is' : 'are'} damaged and left out.</p>`;
  return html`<details class="file"><summary>Conversation <span class="note">${isCut ? bytesText(size) : counted(turns, 'turn')}</span></summary>${damage}<ol class="thread">
${shown}</ol>${note}</details>`;
}

function stepHtml(step: ConversationStep): Html {
  switch (step.kind) {
    case 'attempt':
      return html`<p class="heading">${attemptWords(step)} <span class="note">${timeText(step.at)}</span></p>`;
    case 'request':
      return html`<details class="call"><summary>${requestTitle(step)}</summary>${cutText(step.text)}</details>`;
    case 'person': {
      const question = step.question === undefined ? '' : html`<p class="prose note">${step.question}</p>`;
      return html`<div class="box waiting"><p><strong>${personName(step)}</strong> <span class="note">a person, ${timeText(step.at)}</span></p>${question}<p class="prose">${headOf(step.text, textKept)}</p></div>`;
    }
    case 'turn':
      return turnHtml(step);
    case 'answer': {
      const words = outcomeWords(step.outcome);
      return words === '' ? html`` : html`<p class="prose"><strong>outcome:</strong> ${words}</p>`;
    }
    case 'compacted':
      return html`<details class="call"><summary class="note">${compactionWords(step)}</summary>${cutText(step.summary)}</details>`;
    case 'retried':
      return html`<p class="note prose">${retryWords(step)}</p>`;
  }
}

function turnHtml({ number, at, used, parts, end }: TurnStep): Html {
  const usage = used === undefined ? '' : turnUsageWords(used);
  const cut = end === undefined ? '' : html`<p class="note">${replyEndWords[end]}</p>`;
  return html`<div class="turn"><p><strong>turn ${number}</strong> <span class="note">${timeText(at)}${usage === '' ? '' : ` · ${usage}`}</span></p>${parts.map(partHtml)}${cut}</div>`;
}

function partHtml(part: TurnPart): Html {
  if (part.kind === 'call') return callHtml(part);
  const text = part.text.trim();
  if (part.channel === 'response') return text.length > textKept ? cutText(text) : markdownHtml(text);
  return html`<details class="call"><summary class="note">reasoning</summary><p class="prose note">${headOf(text, textKept)}</p></details>`;
}

function callHtml(call: CallPart): Html {
  const { tool, title, input, edits, result } = call;
  const given = callInput(call);
  // An edit says more than what its tool says of it.
  const isEdit = edits.length > 0 && result?.success !== false;
  const output = result === undefined || isEdit || result.output === '' ? '' : cutText(result.output);
  const took = result === undefined ? '' : ` ${formatDuration(result.duration)}`;
  return html`<details class="call"><summary><code>${toolCallText(tool, input, title)}</code> <span class="note">${callEnd(result)}${took}</span></summary>${given === '' ? '' : cutText(given)}${edits.map((edit) => editHtml(shownEdit(edit)))}${output}</details>`;
}

function editHtml({ path, added, removed, lines, more }: ShownEdit): Html {
  const kept = lines.slice(0, linesKept).map(({ sign, text }) => {
    if (sign === 'gap') return html`⋯\n`;
    const line = html`${sign}${headOf(text, textKept)}\n`;
    return sign === ' ' ? line : html`<span class="${sign === '+' ? 'added' : 'removed'}">${line}</span>`;
  });
  const rest = more + lines.length - kept.length;
  return html`<p><code>${path}</code> <span class="note">+${added} −${removed}</span></p><pre>
${kept}</pre>${rest === 0 ? '' : html`<p class="note">… and ${counted(rest, 'more line')}</p>`}`;
}

function cutText(text: string): Html {
  const rest = text.length - textKept;
  return html`<pre>
${terminalHtml(headOf(text, textKept))}</pre>${rest > 0 ? html`<p class="note">… and ${counted(rest, 'more character')}</p>` : ''}`;
}
