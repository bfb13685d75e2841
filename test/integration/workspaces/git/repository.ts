import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

/** What no setting of the machine that runs the tests may change. */
const plain = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' };

export interface Repository {
  readonly directory: string;
  /** Output of git there, without the line break at the end. @throws Error where git fails */
  git(...args: readonly string[]): string;
  write(name: string, text: string): void;
  /** Commits everything that is there. @returns the commit */
  commit(message?: string): string;
  /** The files of a commit: their names, and what they say. */
  filesAt(commit: string): Readonly<Record<string, string>>;
  /** What somebody sees who works there: changes, the index, the branch, and what it is at. */
  look(): string;
}

/** Git as somebody uses it who has a name. */
export function gitIn(directory: string, ...args: readonly string[]): string {
  return repositoryIn(directory).git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args);
}

/** A new repository with these files committed. */
export function repositoryWith(files: Readonly<Record<string, string>>): Repository {
  const repository = emptyRepository();
  for (const [name, text] of Object.entries(files)) repository.write(name, text);
  repository.commit('begin');
  return repository;
}

export function emptyRepository(...options: readonly string[]): Repository {
  const directory = path.join(temporaryDirectory(), 'repository');
  mkdirSync(directory);
  const repository = repositoryIn(directory);
  repository.git('init', '--quiet', '--initial-branch=main', ...options);
  return repository;
}

export function repositoryIn(directory: string): Repository {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', directory, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...plain },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).replace(/\n$/, '');
  const someone = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
  return {
    directory,
    git,
    write(name, text) {
      const file = path.join(directory, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    commit(message = 'change') {
      git('add', '--all');
      git(...someone, 'commit', '--quiet', '--no-gpg-sign', '--message', message);
      return git('rev-parse', 'HEAD');
    },
    filesAt(commit) {
      const names = git('ls-tree', '-r', '-z', '--name-only', commit)
        .split('\0')
        .filter((name) => name !== '');
      return Object.fromEntries(names.map((name) => [name, git('show', `${commit}:${name}`)]));
    },
    look: () =>
      [
        git('status', '--porcelain', '--branch', '--untracked-files=all'),
        git('ls-files', '--stage'),
        git('rev-parse', 'HEAD'),
        git('stash', 'list'),
      ].join('\n'),
  };
}
