import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RunError } from '../../run-directory/run-error.js';
import { type Git, GitFailure, gitIn } from './git.js';
import { checkRemote, RemoteProblem, remoteUrl } from './remote.js';

/** Origin of the files of a run, as its manifest keeps it. */
export interface GitOrigin {
  /** Top directory of the checkout in which the run was started. */
  readonly repository: string;
  /** Path within it at which the run was started; empty at the top. */
  readonly subdirectory: string;
  /** Commit at which the run begins. */
  readonly base: string;
  /** URL of the repository to which the commits of the run are pushed; undefined for none. */
  readonly remote?: string | undefined;
}

/** Origin and notices for the user before a run with git begins. */
export interface GitPlan {
  readonly origin: GitOrigin;
  readonly notices: readonly string[];
}

/** First version with `git merge-tree --write-tree`. */
const oldest = { major: 2, minor: 38 };
const shownFiles = 3;

/**
 * Examines the repository of a directory; its last commit is the one at which a run begins.
 * @param remote repository to which the commits are pushed: a URL, a path, or the name of a remote; empty for none
 * @throws RunError `usage` where there is none that a run can work on
 */
export async function planGit(
  workingDirectory: string,
  runDirectory: string,
  remote: string,
): Promise<GitPlan> {
  const git = gitIn(workingDirectory);
  await checkVersion(git);
  const found = await originOf(git, workingDirectory);
  const origin =
    remote === '' ? found : { ...found, remote: await reachableRemote(git, found.repository, remote) };
  try {
    await checkRunDirectory(gitIn(origin.repository), origin.repository, runDirectory);
    return { origin, notices: await noticesOf(gitIn(origin.repository)) };
  } catch (error) {
    throw error instanceof RunError ? error : refuse(saidBy(error), error);
  }
}

/** URL of the remote of a run. @throws RunError `usage` */
async function reachableRemote(git: Git, repository: string, named: string): Promise<string> {
  try {
    const url = await remoteUrl(git, repository, named);
    await checkRemote(git, url);
    return url;
  } catch (error) {
    if (error instanceof RemoteProblem) throw refuse(`\`git_remote\`: ${error.message}`, error);
    throw refuse(
      `the remote "${named}", which \`git_remote\` names, does not answer: ${saidBy(error)}`,
      error,
    );
  }
}

/** Checks that the run directory does not contain files of the repository. */
async function checkRunDirectory(git: Git, repository: string, directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const isAround = isInside(repository, directory);
  const isTracked =
    !isAround &&
    isInside(directory, repository) &&
    (await git.text('ls-files', '-z', '--', directory)) !== '';
  if (isAround || isTracked)
    throw refuse(`the run directory ${directory} contains files of the repository; name another one`);
}

function refuse(what: string, cause?: unknown): RunError {
  return new RunError(
    'usage',
    `the run cannot use git: ${what}. Nothing was executed; to run without git, use \`--no-git\``,
    { cause },
  );
}

async function checkVersion(git: Git): Promise<void> {
  let said: string;
  try {
    said = await git.text('version');
  } catch (error) {
    if (error instanceof GitFailure && error.isMissing)
      throw refuse('git is not installed, or not on the PATH', error);
    throw refuse(saidBy(error), error);
  }
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  if (Number(major) > oldest.major || (Number(major) === oldest.major && Number(minor) >= oldest.minor))
    return;
  throw refuse(`it needs git ${oldest.major}.${oldest.minor} or newer, and this is ${said}`);
}

async function originOf(git: Git, directory: string): Promise<GitOrigin> {
  let about: readonly string[];
  try {
    about = (await git.text('rev-parse', '--is-bare-repository', '--is-inside-work-tree')).split('\n');
  } catch (error) {
    const said = saidBy(error);
    const isNone = said.includes('not a git repository');
    throw refuse(
      isNone ? `${directory} is not in a git repository (create one with \`git init\`)` : said,
      error,
    );
  }
  if (about[0] === 'true') throw refuse(`${directory} is a bare repository, which has no files to work on`);
  if (about[1] !== 'true') throw refuse(`${directory} is inside of the repository's own directory (.git)`);
  const [repository = '', subdirectory = ''] = await Promise.all([
    git.text('rev-parse', '--show-toplevel'),
    git.text('rev-parse', '--show-prefix'),
  ]);
  const base = await git.text('rev-parse', '--verify', '--quiet', 'HEAD^{commit}').catch(() => '');
  if (base === '') throw refuse(`${repository} has no commit yet to start from; create one first`);
  return { repository: path.normalize(repository), subdirectory: subdirectory.replace(/\/$/, ''), base };
}

function saidBy(error: unknown): string {
  return error instanceof GitFailure ? error.said || error.message : String(error);
}

async function noticesOf(git: Git): Promise<readonly string[]> {
  const { output } = await git.run([
    'status',
    '--porcelain',
    '-z',
    '--no-renames',
    '--untracked-files=normal',
  ]);
  const changed = output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(3))
    .filter((name) => !name.split('/').includes('.attractor'));
  if (changed.length === 0) return [];
  const shown = changed.slice(0, shownFiles).join(', ');
  const more = changed.length > shownFiles ? ` and ${changed.length - shownFiles} more` : '';
  return [`the run starts from the last commit; uncommitted changes are ignored: ${shown}${more}`];
}

/** Excludes a run directory in a repository from commits and from `git status`. */
export function hideFromGit(directory: string, repository: string): void {
  const file = path.join(directory, '.gitignore');
  if (isInside(directory, repository) && !existsSync(file)) writeFileSync(file, '*\n');
}

/** True if a directory is inside of another one, symbolic links resolved. */
function isInside(directory: string, around: string): boolean {
  const relative = path.relative(realpathSync(around), realpathSync(directory));
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
