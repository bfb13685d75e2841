import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDirectories } from '../../handlers/make-directories.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import { replaceFile } from '../../setup/replace-file.js';
import { UsageError } from '../../setup/usage-error.js';
import { type CodingAgent, codingAgents } from './agents.js';
import { entryNamed, packageFile } from './package-files.js';
import { withServer } from './with-server.js';

/**
 * Prepares a project for coding agents: writes the skill, and registers the MCP server. What people wrote stays.
 * @param directory as the call names it, from `cwd`
 * @returns what was done, for a person
 * @throws UsageError for an unknown agent, and a file that cannot be read or written
 */
export function prepareAgents(names: readonly string[], directory: string, cwd: string): string {
  const agents = [...new Set(names)].map((name) => entryNamed('agent', name, codingAgents));
  const project = { directory, cwd };
  const lines = agents.flatMap((agent) => [writeSkill(agent, project), registerServer(agent, project)]);
  return `${lines.join('\n')}\n`;
}

interface Project {
  readonly directory: string;
  readonly cwd: string;
}

function writeSkill({ skills, title }: CodingAgent, project: Project): string {
  const file = path.join(project.directory, skills, 'attractor/SKILL.md');
  const skill = packageFile('skills/attractor/SKILL.md');
  const before = readIfExists(file, project);
  if (before === skill) return `${file} is up to date (${title})`;
  if (before !== undefined)
    return `kept ${file} (${title}): it differs from the skill of this version; remove it and call again to get that one`;
  write(file, skill, project);
  return `wrote ${file} (${title})`;
}

function registerServer({ servers, title }: CodingAgent, project: Project): string {
  const file = path.join(project.directory, servers.file);
  const before = readIfExists(file, project);
  const merged = withServer(before, servers);
  switch (merged.kind) {
    case 'registered':
      return `${file} registers attractor already (${title})`;
    case 'unreadable':
      return `kept ${file} (${title}): ${merged.problem}; add this by hand:\n${merged.addition}`;
    case 'changed':
      if (before === undefined) write(file, merged.text, project);
      else replaceFile(file, project.cwd, merged.text);
      return `${before === undefined ? 'wrote' : 'added attractor to'} ${file} (${title})`;
  }
}

function readIfExists(file: string, { cwd }: Project): string | undefined {
  try {
    return readFileSync(path.resolve(cwd, file), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UsageError(`cannot read ${file}: ${describeSystemError(error)}`);
  }
}

function write(file: string, text: string, { cwd }: Project): void {
  try {
    makeDirectories(path.dirname(path.resolve(cwd, file)));
    writeFileSync(path.resolve(cwd, file), text, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${describeSystemError(error)}`);
  }
}
