import {
  type Neighbours,
  PipelineText,
  type PipelineTextOptions,
} from '../../src/lsp/services/text/pipeline-text.js';

/** Text with its cursor, which is `<|>` in the marked text. */
export interface AtCursor {
  readonly pipeline: PipelineText;
  readonly offset: number;
}

const mark = '<|>';

/** Takes the cursor out of a text. */
export function atCursor(marked: string, options?: PipelineTextOptions): AtCursor {
  const offset = marked.indexOf(mark);
  if (offset === -1) throw new Error(`no ${mark} in: ${marked}`);
  return { pipeline: new PipelineText('file:///w/main.dot', marked.replace(mark, ''), options), offset };
}

/** Text with its cursor, among other files. */
export interface InWorkspace extends AtCursor {
  readonly neighbours: Neighbours;
}

const root = 'file:///w/';

/**
 * Files of a workspace, by their names.
 * @param texts the one with the cursor first
 */
export function workspaceAt(texts: Readonly<Record<string, string>>): InWorkspace {
  const resolve = (name: string): string => new URL(name, root).href;
  const whole = new Map(Object.entries(texts).map(([name, text]) => [resolve(name), text]));
  const pipelines = new Map<string, PipelineText>();
  let offset = 0;
  for (const [uri, marked] of whole) {
    const text = marked.replace(mark, '');
    if (text !== marked) offset = marked.indexOf(mark);
    whole.set(uri, text);
    if (uri.endsWith('.dot')) pipelines.set(uri, new PipelineText(uri, text, { resolve }));
  }
  const [pipeline] = pipelines.values();
  if (pipeline === undefined) throw new Error('no pipeline');
  const neighbours: Neighbours = {
    pipeline: (uri) => pipelines.get(uri),
    text: (uri) => whole.get(uri),
    containing: (word) => [...pipelines.values()].filter(({ text }) => text.includes(word)),
  };
  return { pipeline, offset, neighbours };
}
