import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Program } from '../../graph/program.js';
import { messageOf } from '../../handlers/error-category.js';
import { makeDirectories } from '../../handlers/make-directories.js';
import { allBranches, type Files, resumesInside } from '../../machine/files.js';
import { failure, isSuccessful, type Outcome } from '../../machine/outcome.js';
import type { RunState } from '../../machine/state.js';
import { RunError } from '../../run-directory/run-error.js';
import { runFiles } from '../../run-directory/run-files.js';
import { type Kept, liveLines, type Prepared, type Workspace, type WorkspaceStage } from '../workspace.js';
import { branchOfLine, refAside, refOfConversation } from './branch-names.js';
import { commitMessage, workOf } from './commit-message.js';
import { authorSettings, makeCommit, newRepositories, treeOfFiles } from './commits.js';
import { GitFailure, gitIn, gitOfWorkTree } from './git.js';
import { mergeBranches } from './merge-branches.js';
import { Remote } from './remote.js';
import { type GitOrigin, hideFromGit } from './repository.js';
import { makeSnapshot, restoreSnapshot, type Snapshot } from './snapshots.js';
import {
  type Aside,
  checkOutAt,
  isStillWorkTree,
  pointHead,
  removeWorkTree,
  type WorkTree,
  type WorkTreeOptions,
} from './work-tree.js';

/** Run whose files are kept by git. */
export interface GitRun {
  readonly runId: string;
  readonly program: Program;
  /** Run directory; its work trees are there too. */
  readonly directory: string;
  readonly origin: GitOrigin;
}

/**
 * Runs stages in git work trees: one for the main line, and one for every branch while it continues. The
 * changes of a stage are committed on the branch of its line before the next one begins.
 */
export class GitWorkspace implements Workspace {
  readonly #run: GitRun;
  /** Commits of the work trees that are unchanged since they were checked out. */
  readonly #checkedOut = new Map<string, string>();
  /** Latest files of the stages under way, by their refs. */
  readonly #snapshots = new Map<string, Snapshot>();
  /** Lines whose work tree is in use. */
  readonly #busy = new Set<string>();
  #workTreeOptions: Promise<WorkTreeOptions> | undefined;
  #remote: Remote | undefined;
  /** Queue: changes of the repository itself are made one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(run: GitRun) {
    this.#run = { ...run, directory: path.resolve(run.directory) };
  }

  directoryOf({ line }: Files): string {
    return path.join(this.#workTree(line).directory, this.#run.origin.subdirectory);
  }

  async before(stage: WorkspaceStage): Promise<Prepared> {
    const { node, files } = stage;
    this.#busy.add(files.line);
    return this.#guarded(`the files for "${node.id}" cannot be prepared`, async () => {
      const options = await this.#ready();
      await this.#inOrder(() => this.#removeEnded(options, stage.liveLines(), stage.warn));
      for (const commit of commitsOf(stage)) await this.#remote?.fetchCommit(commit);
      const continued = await this.#continue(options, stage);
      if (continued !== undefined) {
        this.#checkedOut.delete(files.line);
        makeDirectories(this.directoryOf(files));
        return { kind: 'ready', commit: continued, isContinued: true };
      }
      await this.#checkOut(options, stage);
      const isChosenLater = node.handler.joins;
      const prepared: Prepared = isChosenLater
        ? { kind: 'ready', commit: files.commit }
        : await mergeBranches(options, this.#place(stage), files.commit, allBranches(files.unmerged));
      if (prepared.kind === 'ready') {
        if (prepared.commit !== files.commit) await this.#push(stage, prepared.commit);
        this.#checkedOut.delete(files.line);
        makeDirectories(this.directoryOf(files));
      } else this.#busy.delete(files.line);
      return prepared;
    });
  }

  async snapshot(stage: WorkspaceStage): Promise<string | null> {
    const { node, files, visit } = stage;
    return this.#guarded(`the files of "${node.id}" cannot be kept`, async () => {
      const ref = this.#conversationRef(stage);
      const { runId } = this.#run;
      const message = commitMessage({ runId, stage, text: `during visit ${visit}` });
      const before = this.#snapshots.get(ref);
      const made = await makeSnapshot(await this.#ready(), this.#workTree(files.line), ref, message, before);
      if (made === undefined) return null;
      if (made.commit !== before?.commit) await this.#remote?.push(made.commit, ref);
      this.#snapshots.set(ref, made);
      return made.commit;
    });
  }

  async keep(stage: WorkspaceStage, prepared: string, outcome: Outcome): Promise<Kept> {
    const { node, files } = stage;
    return this.#guarded(`the files of "${node.id}" cannot be committed`, async () => {
      const options = await this.#ready();
      const own = await this.#commitFiles(options, stage, prepared, outcome);
      await this.#forgetSnapshot(options, stage);
      if (typeof own !== 'string') return own;
      const chosen = node.handler.joins && isSuccessful(outcome.status) ? chosenBranches(files, outcome) : [];
      const taken = await mergeBranches(options, this.#place(stage), own, allBranches(chosen));
      this.#busy.delete(files.line);
      if (taken.kind === 'conflict') return { outcome: taken.outcome, commit: undefined };
      await this.#push(stage, taken.commit);
      this.#checkedOut.set(files.line, taken.commit);
      return { outcome, commit: taken.commit };
    });
  }

  async rollBack(stage: WorkspaceStage): Promise<void> {
    const { node, files } = stage;
    await this.#guarded(`the files of "${node.id}" cannot be set aside`, async () => {
      const options = await this.#ready();
      await this.#inOrder(() =>
        checkOutAt(options, this.#workTree(files.line), files.commit, this.#aside(stage, 'failed')),
      );
      await this.#forgetSnapshot(options, stage);
      this.#checkedOut.set(files.line, files.commit);
    });
    this.#busy.delete(files.line);
  }

  leave({ files }: WorkspaceStage): void {
    this.#busy.delete(files.line);
  }

  async close(state: RunState, tell: (message: string) => void): Promise<void> {
    if (!existsSync(path.join(this.#run.directory, runFiles.branchWorkTrees))) return;
    try {
      const options = await this.#ready();
      await this.#inOrder(() => this.#removeEnded(options, liveLines(state), tell));
    } catch (error) {
      tell(`the work trees of branches that have ended cannot be removed: ${messageOf(error)}`);
    }
  }

  /** Turns a failure of git into a `storage` error, because the run cannot continue without it. */
  async #guarded<Result>(what: string, action: () => Promise<Result>): Promise<Result> {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      throw new RunError('storage', `${what}: ${error.message}. Fix the cause, then resume the run`, {
        cause: error,
      });
    }
  }

  #inOrder<Result>(action: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(action, action);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #ready(): Promise<WorkTreeOptions> {
    this.#workTreeOptions ??= this.#makeReady();
    return this.#workTreeOptions;
  }

  async #makeReady(): Promise<WorkTreeOptions> {
    const { directory, origin } = this.#run;
    if (!existsSync(origin.repository)) {
      const what = `the repository ${origin.repository}, in which the run was started, no longer exists`;
      throw new RunError('usage', `${what}. Restore it, or start a new run`);
    }
    hideFromGit(directory, origin.repository);
    const repository = gitIn(origin.repository);
    this.#remote = origin.remote === undefined ? undefined : new Remote(repository, origin.remote);
    return { repository, author: await authorSettings(repository) };
  }

  /** Lets other machines have a commit, before an event names it. */
  async #push({ files }: WorkspaceStage, commit: string): Promise<void> {
    await this.#remote?.push(commit, `refs/heads/${this.#workTree(files.line).branch}`);
  }

  #workTree(line: string): WorkTree {
    const { runId, directory } = this.#run;
    const place = line === '' ? runFiles.workTree : path.join(runFiles.branchWorkTrees, line);
    return { directory: path.join(directory, place), branch: branchOfLine(runId, line) };
  }

  #place(stage: WorkspaceStage) {
    const { runId } = this.#run;
    return { runId, stage, workTree: this.#workTree(stage.files.line) };
  }

  /**
   * Checks the work tree out at the stage's commit, unless a child run continues in it with the files that
   * it left.
   */
  async #checkOut(options: WorkTreeOptions, stage: WorkspaceStage): Promise<void> {
    const { node, files } = stage;
    if (this.#checkedOut.get(files.line) === files.commit) return;
    const workTree = this.#workTree(files.line);
    const continuesInside =
      files.isResumed && resumesInside(this.#run.program, node.id) && existsSync(workTree.directory);
    if (continuesInside) return;
    await this.#inOrder(() => checkOutAt(options, workTree, files.commit, this.#aside(stage, 'undone')));
  }

  #conversationRef({ node, visit }: WorkspaceStage): string {
    return refOfConversation(this.#run.runId, `${node.id}.${visit}`);
  }

  /**
   * Prepares the files with which a conversation continues.
   * @returns the commit on which the stage is at work; undefined if it begins with the files from before it
   */
  async #continue(options: WorkTreeOptions, stage: WorkspaceStage): Promise<string | undefined> {
    const { continued, files } = stage;
    const workTree = this.#workTree(files.line);
    if (continued === undefined) return undefined;
    if (continued.kind === 'as_left') {
      if (!(await isStillWorkTree(options, workTree))) return undefined;
      return gitOfWorkTree(workTree.directory).text('rev-parse', '--verify', 'HEAD');
    }
    const aside = this.#aside(stage, 'undone');
    const restored = await this.#inOrder(() => restoreSnapshot(options, workTree, continued.commit, aside));
    if (restored !== undefined) this.#snapshots.set(this.#conversationRef(stage), restored);
    return restored?.head;
  }

  /** The stage has ended, or begins from its start. */
  async #forgetSnapshot({ repository }: WorkTreeOptions, stage: WorkspaceStage): Promise<void> {
    const ref = this.#conversationRef(stage);
    if (!this.#snapshots.delete(ref)) return;
    await repository.run(['update-ref', '-d', ref]);
    await this.#remote?.forget(ref);
  }

  #aside(stage: WorkspaceStage, why: 'failed' | 'undone'): Aside {
    const { node, visit, attempt } = stage;
    const { runId } = this.#run;
    const what =
      why === 'failed'
        ? `the changes of attempt ${attempt} of "${node.id}" are discarded, because another attempt follows`
        : `changes found in the work tree are not part of the run, which continues at "${node.id}"`;
    return {
      ref: refAside(runId, why, `${node.id}.${visit}.${attempt}`),
      message: commitMessage({ runId, stage, text: why === 'failed' ? 'a failed attempt' : 'undone' }),
      onKept: (where) => stage.warn(`${what}; ${where}`),
    };
  }

  /** @returns the commit, or the reason why there is none */
  async #commitFiles(
    options: WorkTreeOptions,
    stage: WorkspaceStage,
    prepared: string,
    outcome: Outcome,
  ): Promise<string | Kept> {
    const { runId } = this.#run;
    const workTree = this.#workTree(stage.files.line);
    if (!(await isStillWorkTree(options, workTree))) return this.#lost(stage);
    const git = gitOfWorkTree(workTree.directory);
    const tree = await treeOfFiles(git).catch((error: unknown) => {
      if (error instanceof GitFailure && error.said !== '') return error;
      throw error;
    });
    if (typeof tree !== 'string') {
      this.#busy.delete(stage.files.line);
      const reason = `the changes of "${stage.node.id}" cannot be committed: ${tree.message}`;
      return { outcome: failure(reason, { retryable: false }), commit: undefined };
    }
    // A stage may have made commits itself.
    const head = await git.text('rev-parse', '--verify', 'HEAD').catch(() => prepared);
    const isChanged = tree !== (await git.text('rev-parse', `${head}^{tree}`));
    for (const name of await newRepositories(git, prepared, tree))
      stage.warn(`${name} is a git repository of its own: its files are not part of the commits of the run`);
    const message = commitMessage({ runId, stage, text: workOf(stage, outcome), outcome });
    const commit = isChanged
      ? await makeCommit(git, { tree, parents: [head], message }, options.author)
      : head;
    await pointHead(git, workTree.branch);
    if (commit !== (await git.text('rev-parse', '--verify', 'HEAD')))
      await git.run(['update-ref', '-m', 'attractor', 'HEAD', commit]);
    return commit;
  }

  /** Result of a stage that destroyed its work tree, which leaves nothing to commit. */
  #lost({ node, files }: WorkspaceStage): Kept {
    this.#busy.delete(files.line);
    const { directory } = this.#workTree(files.line);
    const reason = `the changes of "${node.id}" cannot be committed: ${directory} is no longer a work tree of the repository, because its .git was removed or replaced`;
    return { outcome: failure(reason, { retryable: false }), commit: undefined };
  }

  /**
   * Removes the work trees of branches that have ended; their branches stay. The run does not depend on
   * that.
   */
  async #removeEnded(
    options: WorkTreeOptions,
    live: ReadonlySet<string>,
    tell: (message: string) => void,
  ): Promise<void> {
    const { runId, directory: home } = this.#run;
    const directory = path.join(home, runFiles.branchWorkTrees);
    if (!existsSync(directory)) return;
    for (const line of readdirSync(directory)) {
      if (live.has(line) || this.#busy.has(line) || line.includes('~')) continue;
      const ref = refAside(runId, 'stopped', line);
      const message = `attractor: what the branch ${line} left when it was stopped\n\nAttractor-Run: ${runId}\n`;
      const onKept = (where: string): void =>
        tell(`the branch ${line} left changes when it was stopped; ${where}`);
      this.#checkedOut.delete(line);
      try {
        await removeWorkTree(options, this.#workTree(line), { ref, message, onKept });
      } catch (error) {
        if (!(error instanceof GitFailure)) throw error;
        tell(`the work tree of the branch ${line}, which has ended, cannot be removed: ${error.message}`);
      }
    }
  }
}

/** Commits with which a stage begins. */
function commitsOf({ files, continued }: WorkspaceStage): readonly string[] {
  const branches = allBranches(files.unmerged).map((branch) => branch.files.commit);
  return [files.commit, ...branches, ...(continued?.kind === 'commit' ? [continued.commit] : [])];
}

/** The branch that a fan-in has chosen (§4.9); one that does not choose takes all of them. */
function chosenBranches({ unmerged }: Files, { context_updates = {} }: Outcome): Files['unmerged'] {
  const best = new Map(Object.entries(context_updates)).get('parallel.fan_in.best_id');
  return best === undefined ? unmerged : unmerged.filter(({ id }) => id === best).slice(0, 1);
}
