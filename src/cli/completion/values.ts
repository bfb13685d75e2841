import type { Argument, Option } from 'commander';
import { printable } from '../../diagnostic/printable.js';
import { labelWithoutKey } from '../../graph/labels.js';
import type { Io } from '../io.js';
import type { CandidateWord, WordCompletion } from './completion.js';

export const noValues: WordCompletion = { candidates: [], files: 'none' };

const severities = ['off', 'info', 'warning', 'error'];

/**
 * Completion of an option's value, regardless of the typed part: its choices, known names, or files, by the
 * name of the value.
 * @param words the command, and its arguments before this option
 */
export async function optionValues(
  option: Option,
  words: readonly string[],
  current: string,
  io: Io,
): Promise<WordCompletion> {
  if (option.argChoices !== undefined) return list(option.argChoices);
  switch (option.long) {
    case '--rule':
      return ruleValues(current);
    case '--backend': {
      const { builtInBackendNames } = await import('../../setup/extensions.js');
      return list(await builtInBackendNames());
    }
    case '--interviewer': {
      const { builtInInterviewers } = await import('../../setup/interviewers.js');
      return list([...builtInInterviewers.keys()]);
    }
    case '--template': {
      const { examples } = await import('../package/examples.js');
      return list(examples.flatMap(({ template }) => template ?? []));
    }
    case '--agent': {
      const { codingAgents } = await import('../package/agents.js');
      return list(codingAgents.map(({ name }) => name));
    }
    default:
      return placeholderValues(option.flags, words, io);
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
  if (argument.argChoices !== undefined) return list(argument.argChoices);
  switch (argument.name()) {
    case 'file':
      return { candidates: [], files: 'dot' };
    case 'page': {
      const { docPages } = await import('../package/doc-pages.js');
      return list(docPages().map(({ name }) => name));
    }
    case 'example': {
      const { examples } = await import('../package/examples.js');
      return list(examples.map(({ name }) => name));
    }
    case 'tests':
      return { candidates: [], files: 'any' };
    case 'run':
      return runValues(io);
    case 'node':
    case 'stage':
      return nodeValues(given[0], io);
    case 'answer':
      return answerValues(given[0], io);
    case 'name': {
      if (command === 'token') return given[0] === 'revoke' ? tokenNames(io) : noValues;
      if (command !== 'explain') return noValues;
      const { topicNames } = await import('../explain/topics.js');
      return list(topicNames());
    }
    default:
      return noValues;
  }
}

async function ruleValues(current: string): Promise<WordCompletion> {
  const { ruleCatalog } = await import('../../lint/rule-catalog.js');
  const rules = ruleCatalog().filter(({ adjustable }) => adjustable);
  const [id = '', severity] = current.split('=');
  if (severity !== undefined) return list(severities.map((word) => `${id}=${word}`));
  return {
    candidates: rules.map((rule) => ({ word: `${rule.id}=`, description: rule.summary })),
    files: 'none',
  };
}

async function placeholderValues(flags: string, [, run]: readonly string[], io: Io): Promise<WordCompletion> {
  const placeholder = /<([^>]+)>/.exec(flags)?.[1] ?? '';
  if (placeholder === 'run') return runValues(io);
  if (placeholder === 'node') return nodeValues(run, io);
  if (placeholder === 'dialect') {
    const { importers } = await import('../../importers/importers.js');
    return list(importers.map(({ name }) => name));
  }
  if (/dir|folder/.test(placeholder)) return { candidates: [], files: 'folders' };
  return /file|module|path|out/.test(placeholder) ? { candidates: [], files: 'any' } : noValues;
}

/** Names of the tokens of a server that is started without `--token-file`. */
async function tokenNames(io: Io): Promise<WordCompletion> {
  const { namedTokensDirectory, tokenNames } = await import('../../server/security/named-tokens.js');
  const { tokenFileOf } = await import('../token-file.js');
  return list(tokenNames(namedTokensDirectory(tokenFileOf(undefined, io.cwd(), io.env))));
}

/** Runs of this directory, the newest first; others are named by their directories. */
async function runValues(io: Io): Promise<WordCompletion> {
  const { runIds } = await import('../../setup/find-run.js');
  return { ...list([...runIds(io.cwd())].reverse()), files: 'folders' };
}

/** Nodes of a run; of the newest one if none is named. */
async function nodeValues(run: string | undefined, io: Io): Promise<WordCompletion> {
  return ofRun(run, io, async (directory) => {
    const { runPipelineOf } = await import('../../view/run-pipeline.js');
    return [...runPipelineOf(directory).nodes].map(([word, { label }]) => ({
      word,
      description: label === word ? '' : printable(label),
    }));
  });
}

/** Answers to the open questions of a run. */
async function answerValues(run: string | undefined, io: Io): Promise<WordCompletion> {
  return ofRun(run, io, async (directory) => {
    const { overviewOf } = await import('../../view/run-overview.js');
    const { questionsOf } = await import('../../setup/questions-of.js');
    return questionsOf(overviewOf(directory, Date.now())).flatMap(({ name, question }) =>
      question.options.map(({ key, label }) => ({
        word: `${name}=${key}`,
        description: printable(labelWithoutKey(label)),
      })),
    );
  });
}

/** A run that cannot be found or read has no candidates: completion never complains. */
async function ofRun(
  run: string | undefined,
  io: Io,
  candidates: (directory: string) => Promise<readonly CandidateWord[]>,
): Promise<WordCompletion> {
  try {
    const { findRunOrNewest } = await import('../../setup/newest-run.js');
    return { candidates: await candidates(findRunOrNewest(run, io)), files: 'none' };
  } catch {
    return noValues;
  }
}

function list(words: readonly string[]): WordCompletion {
  return { candidates: words.map((word): CandidateWord => ({ word, description: '' })), files: 'none' };
}
