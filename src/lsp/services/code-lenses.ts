import type { Span } from '../../diagnostic/source.js';
import { documentSymbols } from './document-symbols.js';
import type { PipelineText } from './text/pipeline-text.js';

/** Command above a line. */
export interface CodeLens {
  readonly span: Span;
  readonly title: string;
  /** Undefined for words without a command. */
  readonly command: LensCommand | undefined;
}

/** Commands that the server performs for a file. */
export const lensCommands = [
  'attractor.run',
  'attractor.simulate',
  'attractor.draw',
  'attractor.test',
] as const;

export type LensCommand = (typeof lensCommands)[number];

/** Facts about a pipeline that its text does not have. */
export interface LensFacts {
  /** True if there is a file of tests next to it. */
  readonly hasTests: boolean;
  /** Coverage of the latest tests, such as `8 of 9 nodes`; undefined before the first ones. */
  readonly coverage?: string | undefined;
  /** Number of recorded runs. */
  readonly runs: number;
  /** Recorded runs that failed at a node, by its id. */
  readonly failures: ReadonlyMap<string, number>;
}

const titles: Readonly<Record<LensCommand, string>> = {
  'attractor.run': 'run',
  'attractor.simulate': 'simulate',
  'attractor.draw': 'draw',
  'attractor.test': 'test',
};

/** Commands above the pipeline, and above nodes at which recorded runs have failed. */
export function codeLenses(pipeline: PipelineText, facts: LensFacts): readonly CodeLens[] {
  const [outline] = documentSymbols(pipeline);
  if (outline === undefined) return [];
  const span = outline.nameSpan;
  const commands = lensCommands
    .filter((command) => command !== 'attractor.test' || facts.hasTests)
    .map((command): CodeLens => ({ span, title: titles[command], command }));
  const coverage = facts.coverage === undefined ? [] : [{ span, title: facts.coverage, command: undefined }];
  const failed = [...facts.failures].flatMap(([id, count]): readonly CodeLens[] => {
    const node = pipeline.graph.nodes.get(id);
    const title = `${facts.runs} ${facts.runs === 1 ? 'run' : 'runs'}, fails here ${count}`;
    return node === undefined ? [] : [{ span: node.span, title, command: undefined }];
  });
  return [...commands, ...coverage, ...failed];
}
