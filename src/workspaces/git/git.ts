import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import path from 'node:path';

/** Runs git in one directory. */
export interface Git {
  /** @throws GitFailure where git ends with another status than 0, or than one of those that are expected */
  run(args: readonly string[], options?: GitOptions): Promise<GitAnswer>;
  /** Its output without the line break at the end. @throws GitFailure */
  text(...args: readonly string[]): Promise<string>;
  /** Whether git says yes (status 0) or no (status 1). @throws GitFailure */
  asks(...args: readonly string[]): Promise<boolean>;
}

export interface GitOptions {
  readonly input?: string;
  /** Statuses that are not failures, besides 0. */
  readonly expected?: readonly number[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface GitAnswer {
  readonly status: number;
  readonly output: string;
}

/** Why git did not do what it was told. */
export class GitFailure extends Error {
  /** What it said; empty where it could not be started, or was ended by a signal. */
  readonly said: string;
  readonly isMissing: boolean;

  constructor(args: readonly string[], said: string, cause?: unknown) {
    const isMissing = (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    const why = isMissing
      ? 'git is not installed, or not on the PATH'
      : said.trim() || String(cause ?? 'it gave no reason');
    super(`git ${args[0] ?? ''} failed: ${why}`, { cause });
    this.name = 'GitFailure';
    this.said = said.trim();
    this.isMissing = isMissing;
  }
}

/**
 * What the settings of a person must not change: neither hooks nor signatures nor housekeeping belong to the commits of a run. What
 * says how files are stored (line endings, filters, ignored files) stays as it is for the person's own commits.
 */
const settings: readonly string[] = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.safecrlf=false',
  'commit.gpgSign=false',
  'i18n.commitEncoding=UTF-8',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'advice.addEmbeddedRepo=false',
].flatMap((setting) => ['-c', setting]);

/** Git in a directory of a repository. */
export function gitIn(directory: string): Git {
  return gitWith(directory, {});
}

/**
 * Git in a work tree, and nowhere else: where a stage has removed what makes the directory one, git must not take the repository around
 * it, which is that of a person.
 */
export function gitOfWorkTree(directory: string): Git {
  return gitWith(directory, { GIT_DIR: path.join(directory, '.git'), GIT_WORK_TREE: directory });
}

function gitWith(directory: string, place: Readonly<Record<string, string>>): Git {
  const run: Git['run'] = (args, options = {}) =>
    start(directory, args, { ...options, environment: { ...options.environment, ...place } });
  return {
    run,
    text: async (...args) => (await run(args)).output.replace(/\n$/, ''),
    asks: async (...args) => (await run(args, { expected: [1] })).status === 0,
  };
}

function start(
  directory: string,
  args: readonly string[],
  { input = '', expected = [], environment = {} }: GitOptions,
): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-C', directory, ...settings, ...args], {
      env: { ...outerEnvironment(), ...environment },
      // What somebody types at the terminal is for the run, which lets git finish.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (piece: Buffer) => output.push(piece));
    child.stderr.on('data', (piece: Buffer) => errors.push(piece));
    child.on('error', (error) => reject(new GitFailure(args, '', error)));
    child.on('close', (code, signal) => {
      const status = code ?? -1;
      const said = Buffer.concat(errors).toString('utf8');
      if (status === 0 || expected.includes(status))
        resolve({ status, output: Buffer.concat(output).toString('utf8') });
      else if (signal !== null) reject(new GitFailure(args, '', `it was ended by ${signal}`));
      else reject(new GitFailure(args, said));
    });
    // Git may end before it has read everything; its status says why.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** Whoever is started by a hook of git has variables that name another repository. */
function outerEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || isOfPerson(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/** Who commits, with which settings, and what git tells of its work. */
function isOfPerson(name: string): boolean {
  return /^GIT_(?:AUTHOR|COMMITTER|CONFIG|SSH|TRACE)(?:_|$)/.test(name);
}
