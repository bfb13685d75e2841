import { statusFileName } from '../run-directory/stage-path.js';
import { makeRedactor, type Redactor } from '../secrets/redactor.js';
import type { VisitRecord } from '../view/fold/visit-record.js';
import { readConfined } from '../view/read-confined.js';
import type { StageVisit } from '../view/stage-schema.js';
import { visitDirectory } from '../view/visit-directory.js';
import { type Allowance, fileKept } from './allowance.js';
import { Html, html } from './html.js';
import { terminalHtml } from './terminal-html.js';

/** Files that the engine and its backends write, without secrets (§4.5, §5.6), in reading order. */
const shownFiles: readonly {
  readonly name: string;
  readonly title: string;
  readonly part: 'beginning' | 'end';
}[] = [
  { name: 'prompt.md', title: 'Prompt', part: 'beginning' },
  { name: 'agent-prompt.md', title: 'Prompt of the agent', part: 'beginning' },
  { name: 'steering.md', title: 'Steering', part: 'beginning' },
  { name: 'response.md', title: 'Response', part: 'beginning' },
  { name: 'stdout.log', title: 'Output', part: 'end' },
  { name: 'stderr.log', title: 'Errors', part: 'end' },
  { name: 'agent-stdout.log', title: 'Output of the agent', part: 'end' },
  { name: 'agent-stderr.log', title: 'Errors of the agent', part: 'end' },
];

/** Bytes up to which a text is shown unfolded. */
const longestOpen = 4000;

/** Files of a visit: the texts of those that the engine writes, and the names of what programs have left. */
export interface FileTexts {
  /** Texts that were sent to a model or an agent. */
  readonly inputs: Html;
  /** Texts that came back, of the latest attempt and of earlier ones. */
  readonly outputs: Html;
  readonly others: Html;
}

/** Files of a visit as parts of a page. */
export function fileTexts(
  directory: string,
  record: VisitRecord,
  files: StageVisit['files'],
  allowance: Allowance,
): FileTexts {
  const sizes = new Map(files.map((file) => [file.path, file.bytes]));
  const textsOf = (selected: typeof shownFiles): Html =>
    html`${selected.flatMap((file) => {
      const bytes = sizes.get(file.name);
      if (bytes === undefined || bytes === 0) return [];
      return [textOf(directory, record, file, allowance)];
    })}`;
  const earlier = earlierAttempts(files);
  const selected = [...earlier, ...shownFiles];
  // The status stands above.
  const others = files.filter(
    ({ path }) => path !== statusFileName && selected.every(({ name }) => name !== path),
  );
  const names = others.map((file) => html`<li><code>${file.path}</code> ${bytesText(file.bytes)}</li>`);
  return {
    inputs: textsOf(shownFiles.filter(isInput)),
    outputs: html`${textsOf(shownFiles.filter((file) => !isInput(file)))}${textsOf(earlier)}`,
    others:
      names.length === 0
        ? html``
        : html`<details class="file"><summary>Other files <span class="note">${names.length}</span></summary><ul>${names}</ul></details>`,
  };
}

function isInput({ name }: { readonly name: string }): boolean {
  return name.endsWith('prompt.md') || name === 'steering.md';
}

/** Files of attempts that were followed by another one (SEMANTICS 71b). */
function earlierAttempts(files: StageVisit['files']): readonly (typeof shownFiles)[number][] {
  return files.flatMap(({ path }) => {
    const [, attempt, name] = /^attempt-([0-9]+)\/(.+)$/.exec(path) ?? [];
    const shownFile = shownFiles.find((file) => file.name === name);
    // Most attempts have the same prompt.
    return shownFile === undefined || shownFile.name.endsWith('prompt.md')
      ? []
      : [{ name: path, title: `${shownFile.title} of attempt ${attempt}`, part: shownFile.part }];
  });
}

function textOf(
  directory: string,
  record: VisitRecord,
  { name, title, part }: (typeof shownFiles)[number],
  allowance: Allowance,
): Html {
  const limit = Math.min(fileKept, allowance.text);
  if (limit === 0) {
    return html`<p class="note">${title}: left out, because the report is long enough without it; it is in <code>${visitDirectory(record)}/${name}</code>.</p>`;
  }
  const file = readConfined(directory, visitDirectory(record), name, { limit, part });
  if (file.kind !== 'found') return html`<p class="note">${title}: ${file.message}.</p>`;
  const text = redactor().text(new TextDecoder().decode(file.data));
  const shownText = terminalHtml(text);
  // Colours take room too.
  allowance.text = Math.max(0, allowance.text - Math.max(text.length, shownText.markup.length));
  const isCut = file.size > file.data.length;
  const cut = isCut
    ? html`<p class="note">The ${part} of ${bytesText(file.size)}; <code>${visitDirectory(record)}/${name}</code> has it all.</p>`
    : '';
  const fold = file.data.length > longestOpen ? new Html('') : new Html(' open');
  return html`<details class="file"${fold}><summary>${title} <span class="note">${bytesText(file.size)}</span></summary>${cut}<pre>
${shownText}</pre></details>`;
}

/** Programs write logs too: values of well-known key formats are removed, whoever wrote them. */
function redactor(): Redactor {
  made ??= makeRedactor([]);
  return made;
}

let made: Redactor | undefined;

/** A size for people. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
