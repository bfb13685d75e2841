import path from 'node:path';
import { lineRange } from '../../diagnostic/render-json.js';
import type { SourceText } from '../../diagnostic/source.js';
import { workflowCommand } from '../../diagnostic/workflow-command.js';
import type { Program } from '../../graph/program.js';
import { narrowScope } from '../../view/fold/run-view.js';
import type { RunResult } from '../../view/run-result.js';
import { runVisits } from '../../view/run-visits.js';
import type { Io } from '../io.js';
import { pathInRepository } from '../output/path-in-repository.js';
import { annotations } from './annotations.js';
import { stageOutput } from './stage-output.js';
import { appendSummary, rowsListed, stepSummary } from './step-summary.js';

export interface ActionsOptions {
  readonly program: Program;
  readonly source: SourceText;
  /** File of the pipeline with the text of `source`; undefined if there is none. */
  readonly sourcePath: string | undefined;
  readonly isVerbose: boolean;
  readonly io: Pick<Io, 'env' | 'cwd'>;
  /** Writes text, in which the runner finds no command. */
  readonly print: (text: string) => void;
  /** Writes a workflow command. */
  readonly command: (text: string) => void;
  readonly displayPath: (file: string) => string;
}

/** Lines of a failed stage's output that are shown with its failure anyway. */
const shownWithFailure = 20;

/** Run in a job of GitHub Actions: its groups, annotations and summary. */
export class ActionsRun {
  readonly #options: ActionsOptions;
  readonly #file: string | undefined;

  constructor(options: ActionsOptions) {
    this.#options = options;
    this.#file = options.sourcePath && fileInRepository(options.sourcePath, options.io);
  }

  /**
   * Shows what a stage that has ended has printed, in a group. Stages in parallel have theirs one after the other, as
   * groups cannot lie in each other.
   * @param line about the stage; a failure does not hide in the title of its group
   * @returns true if the line is shown
   */
  showStage(directory: string | undefined, line: string, isFailure: boolean): boolean {
    const { print, command, displayPath, isVerbose } = this.#options;
    const lines = directory === undefined ? [] : stageOutput(directory, displayPath, isVerbose);
    if (lines.length === 0 || (isFailure && lines.length <= shownWithFailure)) return false;
    command(workflowCommand('group', {}, isFailure ? `Output of ${line}` : line));
    for (const one of lines) print(one);
    command('::endgroup::');
    return !isFailure;
  }

  /** Puts failures at their nodes, and the table of stages into the summary of the step. @returns a problem */
  finish(result: RunResult, directory: string): string | undefined {
    const { program, source, command, io } = this.#options;
    for (const text of annotations(result, { program, source, file: this.#file })) command(text);
    const { GITHUB_STEP_SUMMARY: summary = '' } = io.env;
    if (summary === '') return undefined;
    const scope = { ...narrowScope, rows: rowsListed, nodes: program.nodes };
    const { visits, omitted } = runVisits(result.run_dir, scope);
    const linkOf = (nodeId: string) => this.#linkOf(nodeId);
    const name = program.graph.name;
    return appendSummary(summary, stepSummary({ name, result, program, visits, omitted, directory, linkOf }));
  }

  #linkOf(nodeId: string): string | undefined {
    const { program, source, io } = this.#options;
    const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = io.env;
    const span = program.nodes.get(nodeId)?.node.span;
    if (!(server && repository && commit && span && this.#file)) return undefined;
    const file = this.#file.split('/').map(encodeURIComponent).join('/');
    const address = `${server}/${repository}/blob/${commit}/${file}#L${lineRange(span, source).line}`;
    // Nothing that would end the link.
    return address
      .replaceAll(/[()\s<>|]/g, encodeURIComponent)
      .replaceAll('(', '%28')
      .replaceAll(')', '%29');
  }
}

/** Path from the root of the repository, `/` between names; undefined for a file outside of it. */
function fileInRepository(file: string, io: Pick<Io, 'env' | 'cwd'>): string | undefined {
  const inRepository = pathInRepository(file, io);
  return path.isAbsolute(inRepository) ? undefined : inRepository.split(path.sep).join('/');
}
