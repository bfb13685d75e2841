import type { Argument, Option } from 'commander';
import type { Io } from '../io.js';
import type { CandidateWord, WordCompletion } from './completion.js';

export const noValues: WordCompletion = { candidates: [], files: 'none' };

const severities = ['off', 'info', 'warning', 'error'];

/**
 * Completion of an option's value, regardless of the typed part: its choices, known names, or files, by the
 * name of the value.
 */
export async function optionValues(option: Option, current: string, io: Io): Promise<WordCompletion> {
  if (option.argChoices !== undefined) return words(option.argChoices);
  switch (option.long) {
    case '--rule':
      return ruleValues(current);
    case '--backend': {
      const { builtInBackendNames } = await import('../../setup/extensions.js');
      return words(await builtInBackendNames());
    }
    case '--interviewer': {
      const { builtInInterviewers } = await import('../../setup/interviewers.js');
      return words([...builtInInterviewers.keys()]);
    }
    default:
      return placeholderValues(option.flags, io);
  }
}

/**
 * Completion of an argument.
 * @param words the command, and the arguments before this one
 */
export async function argumentValues(
  argument: Argument,
  [command, ...given]: readonly string[],
  io: Io,
): Promise<WordCompletion> {
  if (argument.argChoices !== undefined) return words(argument.argChoices);
  switch (argument.name()) {
    case 'file':
      return { candidates: [], files: 'dot' };
    case 'run':
      return runValues(io);
    case 'name': {
      if (command === 'token') return given[0] === 'revoke' ? tokenNames(io) : noValues;
      if (command !== 'explain') return noValues;
      const { topicNames } = await import('../explain/topics.js');
      return words(topicNames());
    }
    default:
      return noValues;
  }
}

async function ruleValues(current: string): Promise<WordCompletion> {
  const { ruleCatalog } = await import('../../lint/rule-catalog.js');
  const rules = ruleCatalog().filter(({ adjustable }) => adjustable);
  const [id = '', severity] = current.split('=');
  if (severity !== undefined) return words(severities.map((word) => `${id}=${word}`));
  return {
    candidates: rules.map((rule) => ({ word: `${rule.id}=`, description: rule.summary })),
    files: 'none',
  };
}

async function placeholderValues(flags: string, io: Io): Promise<WordCompletion> {
  const placeholder = /<([^>]+)>/.exec(flags)?.[1] ?? '';
  if (placeholder === 'run') return runValues(io);
  if (/dir|folder/.test(placeholder)) return { candidates: [], files: 'folders' };
  return /file|module|path|out/.test(placeholder) ? { candidates: [], files: 'any' } : noValues;
}

/** Names of the tokens of a server that is started without `--token-file`. */
async function tokenNames(io: Io): Promise<WordCompletion> {
  const { namedTokensDirectory, tokenNames } = await import('../../server/security/named-tokens.js');
  const { tokenFileOf } = await import('../token-file.js');
  return words(tokenNames(namedTokensDirectory(tokenFileOf(undefined, io.cwd(), io.env))));
}

async function runValues(io: Io): Promise<WordCompletion> {
  const { runIds } = await import('../../setup/find-run.js');
  return words([...runIds(io.cwd())].reverse());
}

function words(list: readonly string[]): WordCompletion {
  return { candidates: list.map((word): CandidateWord => ({ word, description: '' })), files: 'none' };
}
