import { counted } from '../diagnostic/counted.js';
import type { JsonValue } from '../graph/json.js';
import { isFileReference } from '../graph/values/file-reference.js';
import { isArtifactReference } from '../run-directory/artifact-reference.js';
import { givenWords } from '../view/given-words.js';
import type { GivenValue, ReadValue } from '../view/stage-schema.js';
import { bytesText } from './file-texts.js';
import { type Html, html } from './html.js';
import { jsonTree, type TreeAllowance } from './json-tree.js';

/** Values by name. */
export function valueList(
  entries: readonly (readonly [name: string, value: JsonValue])[],
  allowance: TreeAllowance,
): Html {
  return list(entries.map(([name, value]) => ({ name, note: '', value: valueHtml(value, allowance) })));
}

/** Values that a visit read, each with the attribute that reads it. */
export function readSection(read: readonly ReadValue[], allowance: TreeAllowance): Html {
  return list(
    read.map(({ name, by, value }) => ({
      name,
      note: by === 'item' ? 'item of the branch' : `in ${by}`,
      value: value === undefined ? html`<em>had no value</em>` : valueHtml(value, allowance),
    })),
  );
}

/** Values that a visit gave; those that handlers set for every stage are folded. */
export function gaveSection(gave: readonly GivenValue[], allowance: TreeAllowance): Html {
  const entries = (isWanted: (one: GivenValue) => boolean): readonly Entry[] =>
    gave
      .filter(isWanted)
      .map((one) => ({ name: one.name, note: givenWords(one), value: valueHtml(one.value, allowance) }));
  const stageValues = entries(({ by }) => by !== 'engine');
  const engine = entries(({ by }) => by === 'engine');
  const folded =
    engine.length === 0
      ? html``
      : html`<details class="file"><summary>Set by its handler <span class="note">${counted(engine.length, 'context key')}</span></summary>${list(engine)}</details>`;
  return html`${list(stageValues)}${folded}`;
}

interface Entry {
  readonly name: string;
  readonly note: string;
  readonly value: Html;
}

function list(entries: readonly Entry[]): Html {
  if (entries.length === 0) return html``;
  return html`<dl class="values">${entries.map(
    ({
      name,
      note,
      value,
    }) => html`<div><dt><code>${name}</code>${note === '' ? '' : html` <span class="note">${note}</span>`}</dt><dd data-copy="${name}">${value}</dd></div>
`,
  )}</dl>`;
}

/** Value as a tree; of one that is kept elsewhere the beginning, and where all of it is. */
function valueHtml(value: JsonValue, allowance: TreeAllowance): Html {
  if (isArtifactReference(value)) {
    return html`${jsonTree(value.preview, allowance)}<p class="note">The beginning of ${bytesText(value.size_bytes)}; the artifact <code>${value.$artifact}</code> has it all.</p>`;
  }
  if (!isFileReference(value)) return jsonTree(value, allowance);
  const { preview } = value as Readonly<Record<string, JsonValue>>;
  const beginning = typeof preview === 'string' ? jsonTree(preview, allowance) : html``;
  return html`${beginning}<p class="note">A text of ${bytesText(value.bytes)} (SHA-256 <code>${value.sha256}</code>); <code>${value.$file}</code> has it all.</p>`;
}
